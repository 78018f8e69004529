import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { equal } from "../../src/json/equal.ts";
import type { Json } from "../../src/json/json.ts";
import { readYaml, writeYaml } from "../../src/json/yaml.ts";
import { commentsIn, editYaml } from "../../src/json/yaml-edit.ts";

const scalar = fc.constantFrom(
  "a",
  "",
  "07:30",
  "a # b",
  "line\nline\n",
  " x\n",
  1,
  1.5,
  true,
  null,
  "{",
  "- b",
  "\u0085",
);
const value: fc.Arbitrary<Json> = fc.letrec<{ any: Json }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b c", "<<", "-", "x"), tie("any"), { maxKeys: 3 }),
  ),
})).any;
const document = fc.dictionary(fc.constantFrom("kind", "spec", "d"), value, { minKeys: 1 });

const styles = [
  writeYaml,
  (each: Json) => `${JSON.stringify(each)}\n`,
  (each: Json) => `${JSON.stringify(each, null, 2)}\n`,
  (each: Json) => `# first\n${writeYaml(each)}# last\n`,
];

const valuesOf = (text: string) => readYaml(text).map((each) => each.value);

/** A text with comments on lines of their own, and behind lines. */
function commented(text: string, dice: fc.Stream<number>): string {
  return text
    .split("\n")
    .flatMap((line, index) => {
      const [die = 0] = [...dice.take(1)];
      const indent = /^ */.exec(line)?.[0] ?? "";
      if (die === 1) return [`${indent}# above ${index}`, line];
      return [die === 2 && line !== "" ? `${line} # behind ${index}` : line];
    })
    .join("\n");
}

describe("a text with changed documents", () => {
  it.each([...styles.entries()])("says the new values and nothing else (style %i)", (_index, write) => {
    fc.assert(
      fc.property(fc.array(fc.tuple(document, document), { minLength: 1, maxLength: 3 }), (pairs) => {
        const text = pairs.map(([before]) => write(before)).join("---\n");
        const after = pairs.map(([, each]) => each);
        expect(readYaml(editYaml(text, after)).map((each) => each.value)).toEqual(after);
      }),
    );
  });

  it("keeps every comment, whatever is removed, renamed or replaced", () => {
    let tried = 0;
    fc.assert(
      fc.property(document, document, fc.infiniteStream(fc.nat(3)), (before, after, dice) => {
        const text = commented(writeYaml(before), dice);
        // A line in a block scalar is not a comment.
        fc.pre(equal(valuesOf(text), [before]));
        tried += 1;
        const edited = editYaml(text, [after]);
        expect(valuesOf(edited)).toEqual([after]);
        expect(commentsIn(edited).toSorted()).toEqual(commentsIn(text).toSorted());
      }),
      { numRuns: 500 },
    );
    expect(tried).toBeGreaterThan(100);
  });

  it("gives a comment to the new member that says what the old one said", () => {
    const text = `spec:
  # where it hangs
  room: kitchen # the room
  closed: true # shut
`;
    const after = { spec: { position: 0, place: { room: "kitchen" } } };
    expect(editYaml(text, [after])).toBe(`spec:
  # where it hangs
  # the room
  place:
    room: kitchen
  position: 0 # shut
`);
  });

  it("writes a renamed member in the place of the old one, and removes whole lines", () => {
    const text = `spec:
  # in percent
  level: 80 # at night
  room: kitchen
  address: a # gone
  list:
    - one # first
    - two
    # before three
    - three
  obsolete:
    # why
    inner: 1
status: {}
`;
    const after = { spec: { brightness: 0.8, room: "kitchen", list: ["one", "three"] }, status: {} };
    expect(editYaml(text, [after])).toBe(`spec:
  # in percent
  brightness: 0.8 # at night
  room: kitchen
  # gone
  list:
    - one # first
    # before three
    - three
  # why
status: {}
`);
  });

  it("is the same text if nothing changed", () => {
    const text = "# c\na:   [1,  2] # d\n---\n{b: 'x'}\n";
    expect(editYaml(text, [{ a: [1, 2] }, { b: "x" }])).toBe(text);
  });

  it("keeps comments, quotes and order where it adds members and items", () => {
    const text = `kind: Pod # a pod
metadata:
  name: 'one' # its name
spec:
  # the containers
  containers:
  - image: "app:1" # the app
    name: app
  # no volumes
`;
    const after = {
      kind: "Pod",
      metadata: { name: "one", annotations: { a: "b" } },
      spec: {
        containers: [
          { name: "agent" },
          { image: "app:1", name: "app" },
          { name: "last", env: [{ name: "X" }] },
        ],
        volumes: [{ name: "buf", emptyDir: {} }],
      },
    };
    expect(editYaml(text, [after])).toBe(`kind: Pod # a pod
metadata:
  name: 'one' # its name
  annotations:
    a: b
spec:
  # the containers
  containers:
  - name: agent
  - image: "app:1" # the app
    name: app
  - name: last
    env:
    - name: X
  volumes:
  - name: buf
    emptyDir: {}
  # no volumes
`);
  });

  it("keeps flow style, and texts without a line end", () => {
    expect(editYaml("a: {b: 1, c: [x]}", [{ a: { b: 1, c: ["w", "x", "y"], d: 2 } }])).toBe(
      'a: {b: 1, c: ["w", x, "y"], "d":2}',
    );
    expect(editYaml("a:\n- b: text", [{ a: [{ b: "text", c: 1 }, 2] }])).toBe("a:\n- b: text\n  c: 1\n- 2");
  });

  it("is written anew if the place of a change has another meaning elsewhere", () => {
    const text = "a: &x {b: 1}\nc: *x\n";
    expect(readYaml(editYaml(text, [{ a: { b: 2 }, c: { b: 1 } }]))[0]?.value).toEqual({
      a: { b: 2 },
      c: { b: 1 },
    });
  });
});
