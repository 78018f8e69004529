import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { writeJson } from "../../src/json/exact.ts";
import type { Json, JsonObject } from "../../src/json/json.ts";
import type { Kind } from "../../src/kind/kind.ts";
import { draftedFrom } from "../../src/play/draft.ts";
import { type ShownLife, type ShownStep, shownLife } from "../../src/play/life/shown.ts";
import type { Step } from "../../src/play/life/steps.ts";
import { panesOf } from "../../src/play/panes.ts";
import { readYaml } from "../../src/yaml/yaml.ts";
import { example, load, packages } from "./kinds.ts";

/** The steps of clients, as a page shows them. */
function shown(kind: Kind, steps: readonly Step[], plain = false): readonly ShownStep[] {
  const life: ShownLife = shownLife(
    { steps: writeJson(steps as unknown as Json), stored: false, managers: false, plain },
    kind,
  );
  if ("fault" in life) throw new Error(life.fault);
  return life.shown;
}

function gallery(id: string): { readonly kind: Kind; readonly object: JsonObject } {
  const { loaded, state } = example(id);
  return { kind: loaded.kind, object: readYaml(state.text)[0]?.value as JsonObject };
}

function last(steps: readonly ShownStep[]): ShownStep {
  const found = steps.at(-1);
  if (found === undefined) throw new Error("there is no step");
  return found;
}

function said({ fates }: ShownStep): readonly string[] {
  return fates.map(({ sort, sentence }) => `${sort} ${sentence}`);
}

describe("a step of a client", () => {
  const { kind, object } = gallery("person");
  const create = { create: { object } };

  it("says what was kept unseen", () => {
    const step = { replace: { at: "v1beta1", change: { spec: { room: "attic" } } } };
    expect(said(last(shown(kind, [create, step])))).toEqual([
      "carried v1: 3 values were kept unseen: spec.born, spec.name.first, spec.name.last",
    ]);
  });

  it("says what came back although the client left it out", () => {
    const step = { replace: { at: "v1beta1", without: ["annotations", "status"] as const } };
    const { lost, ...rest } = last(shown(kind, [create, step]));
    expect(lost).toBe(0);
    expect(said({ lost, ...rest })).toEqual([
      "returned v1: 3 values came back, though the client did not send them: spec.born, spec.name.first, spec.name.last",
    ]);
  });

  it("says what gave way to its own words, which is no loss", () => {
    const step = { replace: { at: "v1beta1", change: { spec: { fullName: "Ida Bo" } } } };
    const found = last(shown(kind, [create, step]));
    expect(found.lost).toBe(0);
    expect(said(found)).toContain(
      "replaced v1: 1 value gave way to what the client wrote: spec.name.first (Ida May)",
    );
  });

  it("loses nothing where it applies less than it had applied", () => {
    const { kind: rooms, object: room } = gallery("room");
    const bare = { ...room, spec: { location: { building: "Main house" } } };
    const apply = (at: string, spec: JsonObject): Step => ({ apply: { at, by: "ida", object: { spec } } });
    const steps = [
      { create: { object: bare } },
      apply("v1", { climate: { targetCelsius: 21.5, mode: "Auto" } }),
      apply("v1beta1", { doors: ["shed"] }),
    ];
    const found = last(shown(rooms, steps));
    expect(found.lost).toBe(0);
    expect(said(found)).toEqual([
      "replaced v1: 1 value gave way to what the client wrote: spec.climate.mode (Auto)",
      "carried v1: 1 value was kept unseen: spec.location.building",
    ]);
  });

  it("says what was lost with the annotations of a copy", () => {
    const steps: readonly Step[] = [
      create,
      { read: { at: "v1beta1" } },
      { delete: { at: "v1" } },
      { restore: { at: "v1beta1", without: ["annotations", "status"] } },
    ];
    const found = last(shown(kind, steps));
    expect(found.sentence).toBe("v1beta1: create from copy without annotations, status");
    expect(found.lost).toBe(3);
    const removed = found.views.flatMap(({ parts }) => parts.filter(({ sort }) => sort === "removed"));
    expect(removed.map(({ text }) => text).join("")).toContain("first: Ida May\n");
    expect(said(found)[0]).toBe(
      "dropped v1: 3 values were lost: spec.born (1984), spec.name.first (Ida May), spec.name.last (Bo)",
    );
  });

  it("loses without carriers what its version cannot say, as the panes do", () => {
    const { loaded, state } = example("person");
    const step = { replace: { at: "v1beta1" } };
    const found = last(shown(kind, [create, step], true));
    const older = panesOf(loaded, state).find(({ version }) => version === "v1beta1");
    const written = {
      ...state,
      at: "v1beta1",
      text: older?.text ?? "",
      read: older?.read ?? "",
      plain: true,
    };
    const newest = panesOf(loaded, written).find(({ version }) => version === "v1");
    const dropped = newest?.unseen.filter(({ sort }) => sort === "dropped").map(({ place }) => place) ?? [];
    expect(dropped.length).toBeGreaterThan(0);
    for (const place of dropped) expect(said(found)[0]).toContain(place);
    expect(found.lost).toBe(dropped.length);
  });

  it("loses without carriers what the client wrote itself, where the stored version cannot say it", () => {
    const { kind: room } = gallery("room");
    const written = {
      apiVersion: "home.antechamber.dev/v1beta1",
      kind: "Room",
      metadata: { name: "den" },
      spec: { owner: "Bo", floor: 1 },
    };
    expect(said(last(shown(room, [{ create: { object: written } }], true)))).toEqual([
      "dropped v1beta1: 1 value was lost: spec.owner (Bo)",
    ]);
  });

  it("shows lines that went", () => {
    const labelled = { ...object, metadata: { name: "ida", labels: { seen: "yes" } } };
    const step = { patch: { at: "v1", patch: { metadata: { labels: null } } } };
    const [view] = last(shown(kind, [{ create: { object: labelled } }, step])).views;
    const removed = view?.parts.filter(({ sort }) => sort === "removed").map(({ text }) => text);
    expect(removed?.join("")).toContain("  labels:\n    seen: yes\n".replace("yes", '"yes"'));
  });

  it("keeps the namespace of the object", () => {
    const placed = { ...object, metadata: { name: "ida", namespace: "home" } };
    const replace = { replace: { at: "v1beta1", change: { spec: { room: "attic" } } } };
    const found = last(shown(kind, [{ create: { object: placed } }, replace]));
    expect(found.code).toBe(200);
    expect(found.views[0]?.parts.map(({ text }) => text).join("")).toContain("namespace: home\n");
  });

  it.each([
    ["replace", { replace: { at: "v1" } }, /^Press Create first/],
    ["create from copy", { restore: { at: "v1" } }, /Press Read/],
  ] as const)("that finds no object says what to do first: %s", (_what, step, hint) => {
    const found = last(shown(kind, [step]));
    expect(found.code).toBe(404);
    expect(found.hint).toMatch(hint);
  });
});

describe("a CRD without a status", () => {
  const drafted = draftedFrom(readFileSync("test/play/browser/crontabs.yaml", "utf8"), { packages });
  if ("fault" in drafted) throw new Error(drafted.fault);
  const loaded = load(drafted.example.files);
  if ("faults" in loaded) throw new Error(JSON.stringify(loaded.faults));
  const object = {
    apiVersion: "stable.example.com/v1",
    kind: "CronTab",
    metadata: { name: "nightly" },
    spec: { schedule: "0 1 * * *", image: "own" },
  };

  it("says what it loses to a client that leaves annotations out", () => {
    const step = { replace: { at: "v1beta1", without: ["annotations"] as const } };
    const [, found] = shown(loaded.kind, [{ create: { object } }, step]);
    expect(found?.lost).toBe(1);
    expect(found?.fates).toEqual([{ sort: "dropped", sentence: "v1: 1 value was lost: spec.image (own)" }]);
  });
});
