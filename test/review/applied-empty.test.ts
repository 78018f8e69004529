import { expect, it } from "vitest";
import { get, type JsonObject, set } from "../../src/json/json.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { apiServerOf, type Held, nothing } from "../../src/play/life/server.ts";

const { all } = await loadKinds(["test/kinds/garden"]);
const kind = all.find(({ name }) => name.startsWith("Bed"));
if (kind === undefined) throw new Error("there is no Bed");
const server = apiServerOf(kind);

const bed = (version: string, spec: JsonObject): JsonObject => ({
  apiVersion: `${kind.definition.group}/${version}`,
  kind: "Bed",
  metadata: { name: "peas", namespace: "default" },
  spec,
});

const rows = [{ name: "b" }];
const sizeOf = (held: Held) => get(server.read(held, "v1"), "spec", "size");

// A manager of the old version has the server convert what is left of the object: the carrier loses the leaves of the map one by one.
it.each([
  ["a value that no manager owns", { length: 10 }, { length: 10 }],
  ["a default", undefined, { length: 1 }],
])("a map that is applied empty keeps %s at each apply", (_, unowned, expected) => {
  const create = { verb: "create", manager: "ida", object: bed("v1beta1", { rows, size: "3x10" }) } as const;
  const created = server.write(nothing, create).held;
  const view = set(server.read(created, "v1") ?? {}, "spec", "size", unowned);
  let held = server.write(created, { verb: "update", manager: "bo", object: view }).held;
  const apply = {
    verb: "apply",
    manager: "eve",
    object: bed("v1", { rows, size: {} }),
    force: true,
  } as const;
  for (let round = 0; round < 4; round++) {
    const written = server.write(held, apply);
    expect(written.message).toBeUndefined();
    held = written.held;
    expect(sizeOf(held)).toEqual(expected);
  }
});
