import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { equal } from "../../src/json/equal.ts";
import type { Json } from "../../src/json/json.ts";
import { editYaml, lostComment } from "../../src/yaml/edit.ts";
import { readYaml, writeYaml } from "../../src/yaml/yaml.ts";

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
        expect([lostComment(text, edited), lostComment(edited, text)]).toEqual([undefined, undefined]);
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

/** A text whose every line ends with CR and LF, as editors on Windows write it. */
const onWindows = (text: string) => text.replaceAll("\n", "\r\n");
const byteOrderMark = "\ufeff";

describe("the line ends of an edited text", () => {
  it.each([...styles.entries()])("stay CRLF, and it says the same as with LF (style %i)", (_index, write) => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(document, document), { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        fc.boolean(),
        (pairs, hasMark, hasEnd) => {
          const whole = pairs.map(([before]) => write(before)).join("---\n");
          // A single line without an end has none that could be kept.
          fc.pre(hasEnd || whole.trimEnd().includes("\n"));
          const text = (hasMark ? byteOrderMark : "") + (hasEnd ? whole : whole.replace(/\n$/, ""));
          const after = pairs.map(([, each]) => each);
          const edited = editYaml(onWindows(text), after);
          expect(edited).toBe(onWindows(editYaml(text, after)));
          expect(edited.startsWith(byteOrderMark)).toBe(hasMark);
          expect(valuesOf(edited)).toEqual(after);
        },
      ),
    );
  });

  it("stay as they are in lines that are not edited, where they are mixed", () => {
    fc.assert(
      fc.property(document, document, fc.infiniteStream(fc.nat(3)), (before, added, dice) => {
        const mixed = writeYaml({ before }).replaceAll("\n", () => (dice.next().value === 0 ? "\n" : "\r\n"));
        const edited = editYaml(mixed, [{ before, added }]);
        expect(edited.startsWith(mixed)).toBe(true);
        expect(valuesOf(edited)).toEqual([{ before, added }]);
      }),
    );
  });

  it("are those of the line before in new lines, where they are mixed", () => {
    const text = "spec:\r\n  room: a\n  list:\r\n  - one\n  - two\r\n  level: 1 # why\nstatus: {}\r\n";
    const after = {
      spec: {
        room: "a",
        place: { x: 1 },
        list: ["zero", "one", "one and a half", "two", "three"],
        level: [1, 2],
      },
      status: {},
    };
    expect(editYaml(text, [after])).toBe(
      "spec:\r\n  room: a\n  list:\r\n  - zero\r\n  - one\n  - one and a half\n  - two\r\n  - three\r\n" +
        "  level: [1,2] # why\n  place:\n    x: 1\nstatus: {}\r\n",
    );
  });

  it("are those of the first line where the text is written anew", () => {
    const text = `${byteOrderMark}a: &x {b: 1}\r\nc: *x\r\n---\r\nd: 1\r\n`;
    expect(editYaml(text, [{ a: { b: 2 }, c: { b: 1 } }, { d: 2 }])).toBe(
      `${byteOrderMark}a:\r\n  b: 2\r\nc:\r\n  b: 1\r\n---\r\nd: 2\r\n`,
    );
  });

  it("are added after a last line that has none, but not to the new last line", () => {
    expect(editYaml("a:\r\n- b: text", [{ a: [{ b: "text", c: 1 }, 2] }])).toBe(
      "a:\r\n- b: text\r\n  c: 1\r\n- 2",
    );
    expect(editYaml("a: 1", [{ a: 1, b: 2 }])).toBe("a: 1\nb: 2");
  });

  it("do not get into values", () => {
    const text = "a: |\r\n  one\r\n  two\r\nb: 1\r\n";
    const after = { a: "one\ntwo\n", b: "three\nfour\n", c: "five\r\nsix\n" };
    const edited = editYaml(text, [after]);
    expect(valuesOf(edited)).toEqual([after]);
    expect(edited.replaceAll("\r\n", "\n")).toBe(
      'a: |\n  one\n  two\nb: "three\\nfour\\n"\nc: "five\\r\\nsix\\n"\n',
    );
    expect(edited.match(/\r?\n/g)).toEqual(Array(5).fill("\r\n"));
  });
});
