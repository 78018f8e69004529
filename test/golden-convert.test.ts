import { describe, expect, it } from "vitest";
import { detach } from "../src/conversion/carriers.ts";
import { get, isArray, type JsonObject } from "../src/json/json.ts";
import { loadKinds } from "../src/kind/load-kinds.ts";
import { wholeReview } from "../src/review/answer.ts";
import { answerConversion } from "../src/review/conversion.ts";
import { isUnreadable, knownPart } from "./golden-differences.ts";
import { type GoldenCase, goldenCases, normalObject } from "./support/golden.ts";

const kinds = await loadKinds(["webhooks"]);
const cases = goldenCases("convert").map((each) => [each.name, each] as const);

/*
 * What agreeing means. Our answer carries what the other version cannot say in an annotation and a field of status that
 * are the engine's own: without them it is what Kruise answers, but for members that Kruise's Go types do not know, which
 * it loses and we keep. Where Kruise loses what it knows (a namespaceSelector beside a namespace, an empty version label),
 * both show the same, and only ours comes back.
 */
describe("conversion of SidecarSets is OpenKruise's", () => {
  it.each(cases)("%s", (_name, golden) => {
    const { output } = golden;
    const { object, status } = converted(golden, golden.input.desiredAPIVersion);
    // Kruise refuses to convert an object to the version that it has, which nobody asks for; we answer it as it is.
    if (golden.input.desiredAPIVersion === get(golden.input, "object", "apiVersion")) {
      expect([output.status, status, object]).toEqual(["Failure", "Success", golden.input.object]);
      return;
    }
    // What OpenKruise cannot decode is converted too, since a list must not fail for one object; no schema admits it.
    if (isUnreadable(golden.input.object as JsonObject)) {
      expect([output.status, status]).toEqual(["Failure", "Success"]);
      return;
    }
    expect(status).toBe(output.status);
    if (output.status !== "Success") return;
    expect(normalObject(knownPart(detach(object).object))).toEqual(
      normalObject(knownPart(output.object as JsonObject)),
    );
  });

  it.each(cases)("%s comes back whole", (_name, golden) => {
    const { object, status } = converted(golden, golden.input.desiredAPIVersion);
    if (status !== "Success") return;
    const { input } = golden;
    const back = converted({ input: { ...input, object } }, get(input, "object", "apiVersion"));
    expect(detach(back.object).object).toEqual(input.object);
  });
});

function converted({ input }: Pick<GoldenCase, "input">, desiredAPIVersion: unknown) {
  const request = { uid: "golden", desiredAPIVersion, objects: [input.object] };
  const review = { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", request } as JsonObject;
  const { response } = wholeReview(answerConversion(review, kinds));
  const objects = get(response, "convertedObjects");
  return {
    status: get(response, "result", "status"),
    object: (isArray(objects) ? (objects[0] ?? {}) : {}) as JsonObject,
  };
}
