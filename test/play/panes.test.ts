import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { get, isArray } from "../../src/json/json.ts";
import { type Pane, panesOf, rereadOf } from "../../src/play/panes.ts";
import type { PlayState } from "../../src/play/state.ts";
import { readYaml } from "../../src/yaml/yaml.ts";
import { example, gallery } from "./kinds.ts";

function paneAt(panes: readonly Pane[], version: string): Pane {
  const found = panes.find((each) => each.version === version);
  if (found === undefined) throw new Error(`there is no pane ${version}`);
  return found;
}

function objectOf(text: string): unknown {
  return readYaml(text)[0]?.value;
}

/** What is written at a version after its client read it, with a change of the text. */
function writtenAt(
  id: string,
  version: string,
  change: (text: string) => string,
  more: Partial<PlayState> = {},
) {
  const { loaded, state } = example(id);
  const { text, read } = paneAt(panesOf(loaded, state), version);
  return { loaded, state: { ...state, ...more, at: version, read, text: change(text) } };
}

describe.each(gallery.map(({ id }) => id))("%s", (id) => {
  const { loaded, state } = example(id);
  const older = loaded.kind.versions.slice(0, -1).map(({ name }) => name);

  it("has an object without a fault, which each version shows without one", () => {
    const errors = panesOf(loaded, state).flatMap(({ problems }) =>
      problems.filter(({ severity }) => severity === "error"),
    );
    expect(errors).toEqual([]);
  });

  it.each(older)("keeps everything when a client of %s writes what it read", (version) => {
    const { state: written } = writtenAt(id, version, (text) => text);
    const back = paneAt(panesOf(loaded, written), state.at);
    expect(objectOf(back.text)).toEqual(objectOf(state.text));
    expect(back.unseen.filter(({ sort }) => sort === "dropped")).toEqual([]);
  });

  it.each(older)("loses without carriers what came back with them: %s", (version) => {
    const { state: written } = writtenAt(id, version, (text) => text, { plain: true });
    const back = paneAt(panesOf(loaded, written), state.at);
    expect(objectOf(back.text)).not.toEqual(objectOf(state.text));
    expect(back.unseen.filter(({ sort }) => sort === "dropped")).not.toEqual([]);
    expect(back.returned).toEqual([]);
  });

  it.each(older)("shows values that travel at lines of the text: %s", (version) => {
    const { text, unseen } = paneAt(panesOf(loaded, state), version);
    expect(unseen.length).toBeGreaterThan(0);
    const lines = text.split("\n").length;
    expect(unseen.filter(({ line }) => line < 1 || line > lines)).toEqual([]);
  });

  it.each(older)("reads back what it shows, with the carriers where they are shown: %s", (version) => {
    const { state: written } = writtenAt(id, version, (text) => text);
    const newest = paneAt(panesOf(loaded, written), state.at).text;
    expect(rereadOf(loaded, written, false)?.text).not.toContain("onversion");
    const stored = { ...written, ...rereadOf(loaded, written, true), stored: true };
    expect(stored.text).toContain("antechamber.dev/conversion-data");
    const again = panesOf(loaded, stored);
    expect(objectOf(newest)).toEqual(
      objectOf(
        paneAt(panesOf(loaded, { ...stored, ...rereadOf(loaded, stored, false), stored: false }), state.at)
          .text,
      ),
    );
    expect(paneAt(again, state.at).returned).not.toEqual([]);
  });
});

describe("OpenKruise's StatefulSet without carriers", () => {
  it("loses what OpenKruise's own webhook was seen to lose", () => {
    const { loaded, state } = writtenAt("statefulset", "v1alpha1", (text) => text, { plain: true });
    const lost = paneAt(panesOf(loaded, state), "v1beta1").unseen.map(({ place }) => place);
    const recorded = readYaml(readFileSync("test/cases/webhook-findings.yaml", "utf8"))[0]?.value;
    const findings = get(recorded, "kruise", "statefulsets");
    const fields = (isArray(findings) ? findings : []).map(
      (each) => /^lost (\S+)/.exec(String(each))?.[1] ?? "",
    );
    expect(fields.length).toBeGreaterThan(5);
    const top = (path: string) => path.split(".").slice(0, 2).join(".");
    expect([...new Set(lost.map(top))].toSorted()).toEqual([...new Set(fields.map(top))].toSorted());
  });
});

describe("a pane", () => {
  it("says at its line what an API server would say of it", () => {
    const { loaded, state } = example("person");
    const [, newest] = panesOf(loaded, { ...state, text: state.text.replace("1984", "2999") });
    expect(newest?.problems).toEqual([
      {
        line: 10,
        column: 3,
        severity: "error",
        sentence: "spec.born: Invalid value: 2999: people are born before they get a badge",
      },
    ]);
  });

  it("warns of a field that would be dropped", () => {
    const { loaded, state } = example("person");
    const [, newest] = panesOf(loaded, { ...state, text: `${state.text}  borm: 1\n` });
    expect(newest?.problems).toEqual([
      { line: 11, column: 3, severity: "warning", sentence: 'unknown field "spec.borm"' },
    ]);
  });

  it("shows the defaults that an API server fills in", () => {
    const { loaded, state } = example("person");
    const [older, newest] = panesOf(loaded, { ...state, text: state.text.replace("  room: archive\n", "") });
    const filled = newest?.unseen.filter(({ sort }) => sort === "default");
    expect(filled?.map(({ place, value }) => [place, value])).toEqual([["spec.room", "lobby"]]);
    expect(older?.text).toContain("room: lobby\n");
  });

  it.each([
    ["apiVersion: [", 1, "Flow sequence"],
    ["", 1, "there is no object"],
    ["- a", 1, "this is not an object"],
    [
      "apiVersion: office.example.org/v2\nkind: Person\n",
      1,
      "the apiVersion of this pane is office.example.org/v1",
    ],
    ["apiVersion: office.example.org/v1\nkind: Parson\n", 2, "the kind of this pane is Person"],
    ["a: 1\n---\nb: 2\n", 3, "a pane holds one object"],
  ])("says where it cannot be read: %j", (text, line, sentence) => {
    const { loaded, state } = example("person");
    const panes = panesOf(loaded, { ...state, text });
    expect(panes).toHaveLength(1);
    expect(panes[0]?.problems).toMatchObject([{ line, severity: "error" }]);
    expect(panes[0]?.problems[0]?.sentence).toContain(sentence);
  });

  it("says what was dropped since the client said otherwise", () => {
    const { loaded, state } = writtenAt("person", "v1beta1", (text) => text.replace("Ida May Bo", "Ida Bo"));
    const newest = paneAt(panesOf(loaded, state), "v1");
    expect(newest.text).toContain("first: Ida\n    last: Bo\n");
    expect(newest.unseen.map(({ sort, place, value }) => [sort, place, value])).toEqual([
      ["dropped", "spec.name.first", "Ida May"],
    ]);
  });

  it("says each value of an item that was renamed, though another item has the same", () => {
    const { loaded, state: shown } = example("room");
    const text = shown.text.replace("250ms", "1.5s");
    const older = paneAt(panesOf(loaded, { ...shown, text }), "v1beta1");
    const renamed = older.text.replace("- kitchen-island", "- kitchen-isle");
    const state = { ...shown, at: "v1beta1", text: renamed, read: older.read };
    const newest = paneAt(panesOf(loaded, state), "v1");
    const dropped = newest.unseen.filter(({ sort }) => sort === "dropped").map(({ place }) => place);
    expect(dropped).toEqual([
      "spec.lights.kitchen-island.brightness",
      "spec.lights.kitchen-island.color",
      "spec.lights.kitchen-island.transition",
    ]);
  });

  it("marks what came back, and nothing else", () => {
    const { loaded, state } = writtenAt("person", "v1beta1", (text) => text.replace("archive", "attic"));
    const { text, returned } = paneAt(panesOf(loaded, state), "v1");
    const lines = text.split("\n");
    expect(returned.map((line) => lines[line - 1]?.trim())).toEqual([
      "first: Ida May",
      "last: Bo",
      "born: 1984",
    ]);
  });
});
