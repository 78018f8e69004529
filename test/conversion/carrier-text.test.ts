import path from "node:path";
import { describe, expect, it } from "vitest";
import { rewritten } from "../../src/conversion/carrier-text.ts";
import { carrierField, carrierPrefix } from "../../src/conversion/carriers.ts";
import { convert } from "../../src/conversion/convert.ts";
import { sorted } from "../../src/conversion/tree.ts";
import { parseJson, writeJson } from "../../src/json/exact.ts";
import { get, isObject, type JsonObject, set } from "../../src/json/json.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";

const { all } = await loadKinds(["webhooks/home"]);

/** Every example as an API server has it, at every other version. */
const converted = all.flatMap(({ examples, chain, versions }) =>
  examples.flatMap(({ file, object, version }) =>
    versions.map((to, at) => {
      const created = set(set(object, "metadata", "uid", "u-1"), "metadata", "generation", 3);
      return {
        name: `${path.relative(".", file)} at ${to.name}`,
        object: sorted(convert(created, chain, version, at)) as JsonObject,
      };
    }),
  ),
);

/** Where the status was not empty before, which only its own carrier says. */
const carried = converted.filter(
  ({ object }) =>
    annotationOf(object) !== undefined && get(object, "status", carrierField, "was") === undefined,
);

function annotationOf(object: JsonObject): string | undefined {
  const annotations = get(object, "metadata", "annotations");
  const found =
    isObject(annotations) && Object.entries(annotations).find(([key]) => key.startsWith(carrierPrefix));
  return found ? (found[1] as string) : undefined;
}

describe("the annotation beside a carrier of status is known without reading it", () => {
  it("in hub objects and in views", () => {
    const hasGeneration = ({ object }: { object: JsonObject }) =>
      get(object, "status", carrierField, "generation") !== undefined;
    expect(carried.filter(hasGeneration).length).toBeGreaterThan(3);
    expect(carried.filter((each) => !hasGeneration(each)).length).toBeGreaterThan(3);
  });

  it.each(carried)("$name", ({ object }) => {
    const carrier = get(object, "status", carrierField) as JsonObject;
    const annotation = annotationOf(object);
    const known = rewritten(carrier);
    expect(known?.text).toBe(annotation);
    const { sum: _, ...content } = known?.carrier ?? {};
    const read = parseJson(annotation ?? "null");
    expect(content).toEqual(read);
    // Of a hub object the order of the keys is the same, too.
    if (carrier.generation === undefined) expect(writeJson(content)).toBe(writeJson(read));
  });
});
