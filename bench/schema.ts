// The cost of schemas: compiling those of the home kinds, and validating Rooms of two sizes, valid and invalid. CPU time,
// printed and not asserted, since elapsed time on a shared machine means little.
//   node bench/schema.ts
import { readFileSync } from "node:fs";
import path from "node:path";
import { writeJson } from "../src/json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../src/json/json.ts";
import { compileVersion } from "../src/schema/crd/compile.ts";
import { root } from "../src/schema/model/place.ts";
import { readSchema } from "../src/schema/model/schema.ts";
import { fastPathOf } from "../src/schema/openapi/fast-path.ts";
import { locationAt } from "../src/schema/openapi/outcome.ts";
import { schemaValidatorOf } from "../src/schema/openapi/validate.ts";
import { readYaml } from "../src/yaml/yaml.ts";

const folder = path.join(import.meta.dirname, "../manifests/components");
const names = ["lights", "locks", "rooms"].map((plural) => `${plural}.home.antechamber.dev`);

console.log("compiling          µs");
for (const name of [...names, "sidecarsets.apps.kruise.io"]) {
  for (const entry of entriesOf(name)) {
    line(`${name} ${String(entry.name)}`, 20, () => compileVersion(entry));
  }
}

const entry = entriesOf("rooms.home.antechamber.dev").find(({ name }) => name === "v1") ?? {};
const compiled = compileVersion(entry, { fastPath: fastPathOf });
if ("faults" in compiled) throw new Error(writeJson(compiled.faults as unknown as Json));
const { schema } = compiled;
const json = get(entry, "schema", "openAPIV3Schema");
const model = readSchema(isObject(json) ? json : {});
const walk = schemaValidatorOf(model);
const fastPath = fastPathOf(model);
for (const lights of [9, 95]) {
  const room = schema.prune(roomOf(lights)).object;
  const wrong = { ...room, spec: { ...(room.spec as JsonObject), climate: { targetCelsius: "warm" } } };
  if (schema.validate(room).faults.length > 0)
    throw new Error(writeJson(schema.validate(room).faults as unknown as Json));
  console.log(`\na Room of ${writeJson(room).length} bytes          µs`);
  line("prune", 20_000, () => schema.prune(room));
  line("default", 20_000, () => schema.defaulted(room));
  line("the schema by ajv", 20_000, () => fastPath(room));
  line("the schema by our walk", 5_000, () => walk(room, locationAt(root)));
  line("validate, a creation", 5_000, () => schema.validate(room));
  line("validate, an update", 5_000, () => schema.validate(room, room));
  line("validate, one that is refused", 5_000, () => schema.validate(wrong));
}

function entriesOf(name: string): readonly JsonObject[] {
  const [crd] = readYaml(
    readFileSync(
      path.join(folder, name.endsWith(".kruise.io") ? "openkruise" : "home", `${name}.yaml`),
      "utf8",
    ),
  ).map(({ value }) => value);
  const versions = get(crd, "spec", "versions");
  return isArray(versions) ? versions.filter(isObject) : [];
}

function line(what: string, times: number, task: () => unknown): void {
  for (let warm = 0; warm < times / 4; warm++) task();
  const begun = process.cpuUsage();
  for (let time = 0; time < times; time++) task();
  const { user, system } = process.cpuUsage(begun);
  const each = (user + system) / times;
  console.log(`  ${what.padEnd(44)}${each.toFixed(each < 10 ? 1 : 0).padStart(8)}`);
}

function roomOf(lights: number): JsonObject {
  return {
    apiVersion: "home.antechamber.dev/v1",
    kind: "Room",
    metadata: {
      name: "living-room",
      namespace: "home",
      uid: "4b3a0c1e-0000-4000-8000-000000000001",
      resourceVersion: "12",
      generation: 3,
      labels: { floor: "ground", "home.antechamber.dev/zone": "south" },
      annotations: { "home.antechamber.dev/note": "the window does not close by itself" },
    },
    spec: {
      climate: { targetCelsius: 21.5 },
      lights: Array.from({ length: lights }, (_, index) => ({
        name: `light-${index}`,
        brightness: 0.5,
        color: index % 2 === 0 ? { kelvin: 2700 } : { rgb: "#ffaa00" },
        transition: "1m30s",
      })),
    },
  };
}
