import { expect, it } from "vitest";
import { isObject } from "../../src/json/json.ts";
import type { Kind } from "../../src/kind/kind.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { servingEngine } from "../../src/laws/engine.ts";
import { recordingOf } from "../../src/laws/recorded.ts";
import type { Recording } from "../../src/laws/recording.ts";
import { settingOf, trip } from "../../src/laws/setting.ts";
import { readRecordings, writeRecordings } from "./recordings.ts";

// What every later release must still read (the laws read it). RECORD=<release> adds what this one writes of every example.
const { all } = await loadKinds(["webhooks", "test/kinds", "examples/kinds"]);
const release = process.env.RECORD ?? "";

it("every kind has recordings of a stored object and of a view", () => {
  if (/^\d+\.\d+\.\d+$/.test(release)) {
    for (const kind of all)
      writeRecordings(`${release}-${kind.name.toLowerCase()}`, recordingsOf(kind, release));
  }
  const recordings = readRecordings();
  for (const { name, hub } of all) {
    const own = recordings.filter(({ kind }) => kind === name);
    expect(own.some(({ from }) => from === hub.name)).toBe(true);
    expect(own.some(({ to }) => to === hub.name)).toBe(true);
  }
});

function recordingsOf(kind: Kind, by: string): readonly Recording[] {
  const setting = settingOf(kind, servingEngine);
  const { hub } = setting;
  return kind.examples.flatMap(({ object, version }) => {
    const metadata = {
      ...(isObject(object.metadata) ? object.metadata : {}),
      uid: "8a1b7c1e-0001",
      generation: 1,
    };
    const stored = trip(setting, { ...object, metadata }, version, hub);
    return setting.spokes.flatMap((spoke) => {
      const [from, to] = [kind.hub.name, kind.versions[spoke]?.name ?? ""];
      const shown = { release: by, description: "a stored object is shown", from, to, object: stored };
      const view = trip(setting, stored, hub, spoke);
      const back = { release: by, description: "a view is stored", from: to, to: from, object: view };
      return [recordingOf(setting, shown), recordingOf(setting, back)];
    });
  });
}
