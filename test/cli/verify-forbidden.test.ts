import { expect, it } from "vitest";
import { forbiddenRows } from "../../src/cli/verify/forbidden.ts";

const image = (field: string, message: string) => ({ field, message, object: {} });
const tooShort = (field: string) =>
  image(field, `Invalid value: "": ${field} in body should be at least 1 chars long`);
const rowsOf = (...images: ReturnType<typeof image>[]) => forbiddenRows(images, ({ message }) => message);

it("what ordinary objects have comes before what needs an empty text or an equal item", () => {
  const rows = rowsOf(
    tooShort("spec.name"),
    image("spec.tags[1]", 'Duplicate value: "a"'),
    image("spec.mode", 'Unsupported value: "": supported values: "a"'),
    image("spec.port", "Invalid value: 0: spec.port in body should be greater than or equal to 1"),
    image("spec.size", 'Unsupported value: "b": supported values: "a"'),
    image("spec.items", "Too many: 2: must have at most 1 items"),
    image("spec", "Invalid value: a cannot be false when b is true"),
    image("spec.b", "Required value"),
    image("spec.a", "Required value"),
  );
  expect(rows.map(([field]) => field)).toEqual([
    "spec.a",
    "spec.b",
    "spec",
    "spec.items",
    "spec.size",
    "spec.port",
    "spec.tags[1]",
    "spec.mode",
    "spec.name",
  ]);
});

it("many fields with one sort of fault take few lines, in the order of their names", () => {
  const names = ["i", "c", "a", "b", "d", "e", "f", "g", "h"];
  const rows = rowsOf(...names.map((name) => tooShort(`spec.${name}`)));
  expect(rows.map(([field]) => field)).toEqual(["spec.a", "spec.b", "spec.c", "and 6 more fields"]);
  expect(rows[3]?.[1]).toBe(
    "should be at least 1 chars long: spec.d, spec.e, spec.f, spec.g, … (2 more; -o json has all)",
  );
  expect(rowsOf(...["d", "c", "b", "a"].map(tooShort))).toHaveLength(4);
  expect(rowsOf()).toEqual([]);
});
