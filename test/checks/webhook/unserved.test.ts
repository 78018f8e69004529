import { describe, expect, it } from "vitest";
import { verdictOf } from "../../../src/cli/verify-webhook/sentences.ts";
import { set } from "../../../src/json/json.ts";
import { changing, checked, crdOf, faultsIn, same } from "./kinds.ts";
import { type Conversion, Panic } from "./webhooks.ts";

// Versions that are no longer served: objects may still be stored at them, and are converted at each read.

const spec = "size: { type: integer }\ncolor: { type: string }";
const crd = crdOf({ v1alpha1: { spec, more: { served: false } }, v1beta1: { spec }, v1: { spec } });

/** What a conversion does only with objects of v1alpha1. */
const fromOld =
  (then: Conversion): Conversion =>
  (object, desired) =>
    object.apiVersion === "example.com/v1alpha1" ? then(object, desired) : same(object, desired);

describe("a version that is not served", () => {
  it("is tried: a loss on the way from it is found", async () => {
    const convert = fromOld(changing((each) => set(each, "color", undefined)));
    const { findings } = await checked(crd, convert);
    expect(findings.map(({ place, versions }) => `${place} ${versions[0]}`)).toEqual([
      "spec.color v1alpha1",
      "spec.color v1alpha1",
    ]);
  });

  it("is tried: a crash on it is found, although nothing is converted to it", async () => {
    const convert: Conversion = (object, desired) => {
      if (desired.endsWith("/v1alpha1")) throw new Error("v1alpha1 is gone");
      return fromOld((old, to) => {
        if (JSON.stringify(old).includes('"size"')) throw new Panic();
        return same(old, to);
      })(object, desired);
    };
    const found = await checked(crd, convert);
    expect(faultsIn(found)).toEqual(["crashed spec.size"]);
    expect(found.unserved).toEqual([
      "v1alpha1 is not served, and the webhook converts no object to it: no round trips from it",
    ]);
  });

  it("is not asked for: no client could", async () => {
    const found = await checked(crd, same);
    expect(faultsIn(found)).toEqual([]);
    expect(found.ways.map(({ from, to }) => `${from} ${to}`)).not.toContain("v1 v1alpha1");
  });

  it("may be refused altogether, which is said", async () => {
    const refusing: Conversion = (object, desired) => {
      if (`${object.apiVersion} ${desired}`.includes("v1alpha1")) throw new Error("unknown version v1alpha1");
      return same(object, desired);
    };
    const found = await checked(crd, refusing);
    expect(faultsIn(found)).toEqual([]);
    expect(verdictOf(found)).toBe("nothing is lost");
    expect(found.unserved.join()).toContain("refuses all its objects (unknown version v1alpha1)");
  });

  it("is a finding where its objects are converted in a way that an API server rejects", async () => {
    const found = await checked(
      crd,
      fromOld((object) => object),
    );
    expect(faultsIn(found)).toEqual(["refused "]);
    expect(found.findings[0]?.message).toContain('apiVersion is "example.com/v1alpha1" instead of');
  });

  it("is not passed where it is all that could have been converted, and is refused", async () => {
    const two = crdOf({ v1alpha1: { spec, more: { served: false } }, v1: { spec } });
    const refusing: Conversion = () => {
      throw new Error("unknown version v1alpha1");
    };
    const found = await checked(two, refusing);
    expect(faultsIn(found)).toEqual([]);
    expect(verdictOf(found)).not.toContain("nothing is lost");
    expect(found.ways.map(({ left }) => left.length > 0)).toEqual([true]);
  });
});
