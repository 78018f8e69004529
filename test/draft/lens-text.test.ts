import { expect, it } from "vitest";
import { draftLens } from "../../src/draft/lens-text.ts";
import type { JsonObject } from "../../src/json/json.ts";

const text = { type: "string" };
const object = (properties: JsonObject) => ({ type: "object", properties });
const draftOf = (older: JsonObject, newer: JsonObject) =>
  draftLens(object(older), object(newer), { older: "v1", newer: "v2" }, true).text;

it("a guess at whole objects names what differs in them", () => {
  const subnets = { type: "array", items: object({ id: text, filter: object({ cidr: text }) }) };
  const draft = draftOf({ subnet: object({ id: text, cidr: text }) }, { subnets });
  expect(draft).toContain(
    [
      '//   move("subnet", "subnets[0]"), // a name and its plural, and some of the same names in it',
      '//   in subnet: move("cidr", "filter.cidr"), // the same name in another place',
    ].join("\n"),
  );
});

it("a value that has the path of an object is said to need functions", () => {
  const draft = draftOf({ guard: { type: "boolean" } }, { guard: object({ rules: text }) });
  expect(draft).toContain(
    "//   guard  boolean, but an object in the other version: a row for it needs functions",
  );
});

it("a list that moved says which of its values became objects", () => {
  const devices = (zone: JsonObject) => ({ type: "array", items: object({ name: text, size: text, zone }) });
  const draft = draftOf(
    { node: object({ devices: devices(text) }) },
    { node: object({ machine: object({ devices: devices(object({ count: { type: "integer" } })) }) }) },
  );
  expect(draft).toContain('  move("node.devices", "node.machine.devices"),');
  expect(draft).toContain(
    "//   node.devices[].zone  string, but an object in the other version: a row for it needs",
  );
});

it("an object that was renamed in its place is a row, beside one for a field that left it", () => {
  const names = ["size", "zone", "image", "key", "trunk", "ports", "drive", "tags"];
  const same = Object.fromEntries(names.map((name) => [name, text]));
  const draft = draftOf(
    { guard: object({ guardInstance: object({ ...same, wait: text, floatingIP: text }) }) },
    { guard: object({ guard: object({ ...same, pool: text, group: text, link: text }), floatingIP: text }) },
  );
  expect(draft).toContain('  move("guard.guardInstance", "guard.guard"),');
  expect(draft).toContain('  move("guard.guardInstance.floatingIP", "guard.floatingIP"),');
});
