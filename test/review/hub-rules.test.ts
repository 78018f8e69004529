import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningService, startService } from "../support/service.ts";

let service: RunningService;
beforeAll(async () => {
  service = await startService(["--webhooks", "test/kinds"]);
});
afterAll(() => service.stop());

type Spec = Readonly<Record<string, unknown>>;
interface Asked {
  readonly version?: "v1" | "v1beta1";
  readonly spec?: Spec;
  readonly old?: Spec;
  readonly status?: Spec;
  readonly oldStatus?: Spec;
  readonly labels?: Spec;
  readonly converted?: boolean;
}

/** What the validating webhook says: the causes' fields and messages; none where the write is allowed. */
async function causesOf(asked: Asked): Promise<readonly string[]> {
  const { version = "v1beta1", spec = {}, old, status, oldStatus, labels = {}, converted = false } = asked;
  const kind = { group: "rules.antechamber.dev", version, kind: "Policy" };
  const policy = (content: Spec, phase: Spec | undefined, more: Spec) => ({
    apiVersion: `rules.antechamber.dev/${version}`,
    kind: "Policy",
    metadata: { name: "p", namespace: "n", labels: more },
    spec: content,
    ...(phase === undefined ? {} : { status: phase }),
  });
  const request = {
    uid: "u",
    kind,
    requestKind: converted ? { ...kind, version: version === "v1" ? "v1beta1" : "v1" } : kind,
    ...(status === undefined ? {} : { subResource: "status" }),
    operation: old === undefined ? "CREATE" : "UPDATE",
    name: "p",
    namespace: "n",
    object: policy(spec, status ?? oldStatus, labels),
    ...(old === undefined ? {} : { oldObject: policy(old, oldStatus, {}) }),
  };
  const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request };
  const { body } = await service.post("/validate", JSON.stringify(review));
  const { allowed, status: refusal } = JSON.parse(body).response;
  expect(allowed).toBe(refusal === undefined);
  return (refusal?.details.causes ?? []).map(
    ({ field, message }: { field: string; message: string }) => `${field}: ${message}`,
  );
}

describe("the hub's rules hold for a writer at an older version", () => {
  it("who creates what they forbid, at the fields that were written", async () => {
    expect(await causesOf({ spec: { limit: "abcd" } })).toEqual([
      "spec.limit: Too long: may not be more than 3 bytes",
      "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
    ]);
    expect(await causesOf({ spec: { word: "bad" } })).toEqual(["spec: Invalid value: word must not be bad"]);
    expect(await causesOf({ spec: { tags: ["a", "b", "a"] } })).toEqual([
      'spec.tags[2]: Duplicate value: "a"',
    ]);
    expect(await causesOf({ spec: { limit: "abc", word: "good" } })).toEqual([]);
  });

  it("who changes what they hold immutable, under the name that it has there", async () => {
    const old = { anchor: "pier" };
    expect(await causesOf({ spec: { anchor: "buoy" }, old })).toEqual([
      'spec.anchor: Invalid value: "buoy": the mooring cannot be moved',
    ]);
    expect(await causesOf({ spec: { anchor: "pier", word: "new" }, old })).toEqual([]);
  });

  it("at the fields that were written, also in the items of a list", async () => {
    const slots = [{ name: "a" }, { name: "abcd" }, { timeout: "2m" }];
    expect(await causesOf({ spec: { slots } })).toEqual([
      "spec.slots[1].name: Too long: may not be more than 3 bytes",
      "spec.slots[2].timeout: Invalid value: 120: spec.slots[2].seconds of v1 in body should be less than or equal to 60",
      expect.stringContaining("some validation rules were not checked"),
    ]);
  });

  it("where the older version has no schema: for types too, and not for fields that the hub does not have", async () => {
    const wrong =
      'spec.options.height: Invalid value: "string": spec.options.level of v1 in body must be of type integer: "string"';
    expect(await causesOf({ spec: { options: { height: "high", mode: 3, color: 7 } } })).toEqual([
      wrong,
      'spec.options.mode: Invalid value: "integer": spec.options.mode in body must be of type string: "integer"',
    ]);
    expect(await causesOf({ spec: { options: { height: 3, color: 7 } } })).toEqual([]);
    const old = { options: { height: "high" } };
    expect(await causesOf({ spec: { ...old, word: "new" }, old })).toEqual([]);
    expect(
      await causesOf({ spec: { options: { height: 12 } }, old: { options: { height: 3 } } }),
    ).toHaveLength(1);
  });

  it("but not against what was wrong before and is not touched", async () => {
    const old = { limit: "abcd" };
    expect(await causesOf({ spec: { limit: "abcd", tags: ["a"] }, old })).toEqual([]);
    expect(await causesOf({ spec: { limit: "abcde" }, old })).toHaveLength(2);
  });

  it("and do not prevent a change of a label, of nothing, or of the status alone", async () => {
    const old = { word: "bad", limit: "abcd" };
    expect(await causesOf({ spec: old, old, labels: { a: "b" } })).toEqual([]);
    expect(await causesOf({ spec: old, old, status: { phase: "Quiet" }, oldStatus: {} })).toEqual([]);
  });

  it("also for a status, at its endpoint and nowhere else", async () => {
    const old = { word: "good" };
    const wrong = { phase: "Shrill" };
    expect(await causesOf({ spec: old, old, status: wrong, oldStatus: {} })).toContain(
      'status.phase: Unsupported value: "Shrill": supported values: "Quiet", "Loud"',
    );
    expect(await causesOf({ spec: { word: "new" }, old, oldStatus: wrong })).toEqual([]);
    expect(await causesOf({ spec: old, old, status: wrong, oldStatus: wrong })).toEqual([]);
  });

  it("are left to the API server where it has asked them itself", async () => {
    expect(await causesOf({ version: "v1", spec: { limit: "abcd" } })).toEqual([]);
    expect(await causesOf({ version: "v1", spec: { limit: "abcd" }, converted: true })).toHaveLength(2);
  });
});
