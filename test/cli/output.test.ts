import { expect, it } from "vitest";
import { formatObjects } from "../../src/cli/output.ts";

const den = { kind: "Room", spec: { max: JSON.rawJSON("9223372036854775807") } };
const hall = { kind: "Room" };

it("YAML documents are separated by ---", () =>
  expect(formatObjects([den, hall], "yaml")).toBe(
    "kind: Room\nspec:\n  max: 9223372036854775807\n---\nkind: Room\n",
  ));

it("one object is printed as one JSON object", () =>
  expect(formatObjects([den], "json")).toBe(
    '{\n  "kind": "Room",\n  "spec": {\n    "max": 9223372036854775807\n  }\n}\n',
  ));

it("several objects are a List in JSON", () =>
  expect(JSON.parse(formatObjects([hall, hall], "json"))).toEqual({
    apiVersion: "v1",
    kind: "List",
    metadata: {},
    items: [hall, hall],
  }));

it("without objects the output is an empty List in JSON, and empty in YAML", () => {
  expect(JSON.parse(formatObjects([], "json"))).toMatchObject({ kind: "List", items: [] });
  expect(formatObjects([], "yaml")).toBe("");
});
