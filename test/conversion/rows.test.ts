import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fieldsOfRow } from "../../src/conversion/row-fields.ts";
import {
  annotation,
  constant,
  durationTo,
  each,
  group,
  type JsonObject,
  label,
  move,
  type Row,
  within,
} from "../../src/index.ts";
import { lens } from "../support/lens.ts";

const seconds = durationTo("s");
const timeout = move("timeout", "timeoutSeconds", seconds);

/** Rows of every form, among them one that writes below the field of another one. */
const rows: readonly Row[] = [
  within("spec.check", "spec.health", timeout, move("max", "limits.max")),
  move("spec.most", "spec.health.limits.most"),
  each("spec.jobs", "spec.tasks", timeout, each("steps", "steps", timeout)),
  move(label("example.org/team"), "spec.team"),
  move("spec.note", annotation("example.org/note")),
  constant(move("spec.ref.name", "spec.refName"), { older: { "spec.ref.kind": "Node" } }),
  move("spec.whole", "spec.all"),
];
const { up, down, ...told } = lens(...rows);

const both: readonly (readonly [string, JsonObject, JsonObject])[] = [
  [
    "a row that writes below another row's object",
    { spec: { check: { timeout: "1m0s", max: 3 }, most: 5 } },
    { spec: { health: { timeoutSeconds: 60, limits: { max: 3, most: 5 } } } },
  ],
  [
    "the same where there is no object yet",
    { spec: { most: 5 } },
    { spec: { health: { limits: { most: 5 } } } },
  ],
  [
    "items of items, and what no row names",
    { spec: { jobs: [{ name: "a", timeout: "5s", steps: [{ timeout: "1s" }, {}] }, {}, 3] } },
    { spec: { tasks: [{ name: "a", timeoutSeconds: 5, steps: [{ timeoutSeconds: 1 }, {}] }, {}, 3] } },
  ],
  [
    "the values of a map",
    { spec: { jobs: { a: { timeout: "5s" }, ["__proto__"]: {}, b: null } } },
    { spec: { tasks: { a: { timeoutSeconds: 5 }, ["__proto__"]: {}, b: null } } },
  ],
  ["a label", { metadata: { labels: { "example.org/team": "a" } } }, { spec: { team: "a" } }],
  ["an annotation", { spec: { note: "n" } }, { metadata: { annotations: { "example.org/note": "n" } } }],
  ["a constant with its field", { spec: { ref: { kind: "Node", name: "n" } } }, { spec: { refName: "n" } }],
];

describe("a lens converts both ways", () => {
  it.each(both)("%s", (_name, older, newer) => {
    expect({ up: up(older), down: down(newer) }).toEqual({ up: newer, down: older });
  });
});

const oneWay: readonly (readonly [string, JsonObject, JsonObject])[] = [
  ["a value that a codec cannot read", { spec: { jobs: [{ timeout: "soon" }] } }, { spec: { tasks: [{}] } }],
  ["an object that rows leave nothing of", { spec: { check: { timeout: "soon" } } }, {}],
  ["an object that was empty before", { spec: { check: {} } }, { spec: { health: {} } }],
  ["a constant without its field", { spec: { ref: { kind: "Node" } } }, {}],
  ["a text that is not valid as a label", { spec: { team: "not a label" } }, {}],
];

describe("the newer version does not have", () => {
  it.each(oneWay.slice(0, 4))("%s", (_name, older, newer) => expect(up(older)).toEqual(newer));
});

describe("the older version", () => {
  it.each(oneWay.slice(4))("does not have %s", (_name, newer, older) => expect(down(newer)).toEqual(older));

  it("keeps a label that no field is for", () => {
    const labelled = { metadata: { labels: { "example.org/team": "by-hand" } } };
    expect([down(labelled), down({ ...labelled, spec: { team: "a" } })]).toEqual([
      labelled,
      { metadata: { labels: { "example.org/team": "a" } } },
    ]);
  });
});

it("a lens never changes its argument, whatever that is", () => {
  const names = fc.constantFrom(
    "spec",
    "check",
    "health",
    "limits",
    "jobs",
    "tasks",
    "timeout",
    "most",
    "all",
  );
  const { tree } = fc.letrec<{ tree: JsonObject }>((tie) => ({
    tree: fc.dictionary(
      names,
      fc.oneof({ maxDepth: 5 }, fc.constantFrom(null, 5, "5s", [{ timeout: "5s" }]), tie("tree")),
    ) as fc.Arbitrary<JsonObject>,
  }));
  fc.assert(
    fc.property(tree, (object) => {
      const before = JSON.stringify(object);
      up({ spec: object });
      down({ spec: object });
      expect(JSON.stringify(object)).toBe(before);
    }),
  );
});

it("a lens never changes its argument where one row writes a field and another one below it", () => {
  const both = group({
    older: { door: "spec.door", lock: "spec.lock" },
    newer: { door: "spec.door", lock: "spec.door.lock" },
    up: (older) => older,
    down: ({ lock }) => ({ lock }),
  });
  const object = { spec: { door: { color: "red" }, lock: "shut" } };
  expect(lens(both).up(object)).toEqual({ spec: { door: { color: "red", lock: "shut" } } });
  expect(object).toEqual({ spec: { door: { color: "red" }, lock: "shut" } });
});

it("a row tells its fields in both versions, through lists and maps", () => {
  const [check, most, jobs, team, , ref] = rows.map(fieldsOfRow);
  const text = (fields: readonly (readonly string[])[] = []) => fields.map((steps) => steps.join("."));
  expect(text(check?.newer)).toEqual(["spec.health.timeoutSeconds", "spec.health.limits.max"]);
  expect(text(most?.older)).toEqual(["spec.most"]);
  expect(text(jobs?.older)).toEqual(["spec.jobs.[].timeout", "spec.jobs.[].steps.[].timeout"]);
  expect(text(jobs?.newer)).toEqual([
    "spec.tasks.[].timeoutSeconds",
    "spec.tasks.[].steps.[].timeoutSeconds",
  ]);
  expect(team?.older).toEqual([["metadata", "labels", "example.org/team"]]);
  expect(text(ref?.older)).toEqual(["spec.ref.name", "spec.ref.kind"]);
});

it("a lens tells what it maps of metadata, and where fields within items went", () => {
  expect(told.labels).toEqual(["example.org/team"]);
  expect(told.annotations).toEqual(["example.org/note"]);
  expect(told.follow?.("spec.jobs.steps.timeout")).toEqual(["spec.tasks.steps.timeoutSeconds"]);
  expect(told.follow?.("spec.whole.part")).toEqual(["spec.all.part"]);
  expect(told.follow?.("spec.other")).toEqual(["spec.other"]);
});

it("a field shared within items is shared of the object, at the place of the list", () => {
  const flag = group({
    older: { flag: "flag" },
    newer: { a: "a", b: "b" },
    up: ({ flag }) => ({ a: flag, b: flag }),
    down: ({ a }) => ({ flag: a }),
  });
  const nested = lens(each("spec.old", "spec.new", within("part", "piece", flag)));
  expect(nested.shared).toEqual(["spec.new.piece.a", "spec.new.piece.b"]);
});
