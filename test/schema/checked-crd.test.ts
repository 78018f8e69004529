import { expect, it } from "vitest";
import { isObject, type Json, type JsonObject } from "../../src/json/json.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { crdOf } from "../../src/manifests/crd.ts";
import { type Crd, compileCheckedCrd, compileCrd } from "../../src/schema/index.ts";

const { all } = await loadKinds(["webhooks", "test/kinds", "examples/kinds"]);

/** What may stand in the place of a value: each is of the wrong type somewhere. */
const others: readonly Json[] = ["x", -1, true, null, [], {}];

/** The object, and the object with one of its fields replaced, to a depth of three. */
function variantsOf(object: JsonObject, depth = 3): readonly JsonObject[] {
  const changed = Object.entries(object).flatMap(([name, value]) => [
    ...others.map((other) => ({ ...object, [name]: other })),
    ...(isObject(value) && depth > 1
      ? variantsOf(value, depth - 1).map((variant) => ({ ...object, [name]: variant }))
      : []),
  ]);
  return [object, ...changed];
}

function inNamespace(object: JsonObject, scope: string): JsonObject {
  const metadata = isObject(object.metadata) ? object.metadata : {};
  return scope === "Cluster" ? object : { ...object, metadata: { namespace: "default", ...metadata } };
}

function crdIn(compiled: ReturnType<typeof compileCrd>): Crd {
  if ("crd" in compiled) return compiled.crd;
  throw new Error(JSON.stringify(compiled.causes));
}

it.each(all.map((kind) => [kind.name, kind] as const))(
  "a CRD of %s that was compiled before answers every write the same without being checked again",
  (_name, kind) => {
    const crd = crdOf(kind, { url: "https://localhost" });
    const [compiled, checked] = [crdIn(compileCrd(crd)), crdIn(compileCheckedCrd(crd))];
    const factsOf = ({ versions, write: _, read: __, store: ___, ...rest }: Crd) => ({
      ...rest,
      versions: versions.map(({ name, served, stored }) => ({ name, served, stored })),
    });
    expect(factsOf(checked)).toEqual(factsOf(compiled));
    let [allowed, denied] = [0, 0];
    for (const object of kind.examples.map((example) => inNamespace(example.object, checked.scope))) {
      for (const { name } of compiled.versions)
        expect(checked.read(object, name)).toEqual(compiled.read(object, name));
      for (const variant of variantsOf(object)) {
        // The API server gives an object its version by the path.
        const written = { ...variant, apiVersion: object.apiVersion ?? null, kind: object.kind ?? null };
        for (const write of [{ object: written }, { object: written, old: object }]) {
          const answer = compiled.write(write);
          expect(checked.write(write)).toEqual(answer);
          if (answer.allowed) allowed += 1;
          else denied += 1;
        }
      }
    }
    expect(allowed).toBeGreaterThan(0);
    expect(denied).toBeGreaterThan(0);
  },
);

it("a CRD is checked again for an older API server", () => {
  const kind = all.find(({ name }) => name === "Room.home.antechamber.dev");
  if (kind === undefined) throw new Error("the kind is missing");
  const crd = { ...crdOf(kind, { url: "https://localhost" }), metadata: { name: "wrong" } };
  expect(compileCheckedCrd(crd)).toHaveProperty("crd");
  const causes = [expect.objectContaining({ field: "metadata.name" })];
  expect(compileCheckedCrd(crd, { kubernetesVersion: "1.36" })).toEqual({ causes });
});
