import type { PatchOperation } from "../../src/admission/patch.ts";
import { parseJson } from "../../src/json/exact.ts";
import { get, type Json, type JsonObject } from "../../src/json/json.ts";
import { openGates } from "../../src/kind/gate.ts";
import type { Kinds } from "../../src/kind/kind.ts";
import { offlineListers } from "../../src/offline/listers.ts";
import { answerMutation, answerValidation } from "../../src/review/admission.ts";
import { wholeReview } from "../../src/review/answer.ts";
import { apply } from "../admission/applier.ts";

/** A write of an object of OpenKruise, and what is in the cluster. */
export interface Admitted {
  readonly operation: Json;
  readonly version: Json;
  readonly object: JsonObject;
  readonly oldObject?: JsonObject;
  readonly cluster?: readonly JsonObject[];
  /** Feature gates that are open. */
  readonly gates?: readonly string[];
}

/** What a webhook answers, through the whole of it but HTTPS; with the object as the API server would have it. */
export function admit(
  road: "mutate" | "validate",
  kinds: Kinds,
  { operation, version, object, oldObject, cluster = [], gates = [] }: Admitted,
): { readonly response: JsonObject; readonly object: JsonObject } {
  const opened = new Map(gates.map((name) => [name, true]));
  const now = () => new Date("2026-07-02T09:20:58Z");
  const listerOf = offlineListers(cluster, kinds, { now, gates: opened });
  const review = {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "golden",
      kind: { group: "apps.kruise.io", version, kind: object.kind ?? "SidecarSet" },
      operation,
      object,
      ...(oldObject === undefined ? {} : { oldObject }),
    },
  } as JsonObject;
  const answer = road === "mutate" ? answerMutation : answerValidation;
  const answered = answer(review, {
    kinds,
    now,
    random: () => 0.5,
    listersOf: (needs = {}) =>
      Object.fromEntries(Object.entries(needs).map(([name, need]) => [name, listerOf(need)])),
    gatesOf: (known) => openGates(known, opened),
    mayWait: () => false,
  });
  const response = get(wholeReview(answered), "response") as JsonObject;
  const { patch } = response;
  const operations = typeof patch === "string" ? parseJson(Buffer.from(patch, "base64").toString()) : [];
  return { response, object: apply(object, operations as readonly PatchOperation[]) as JsonObject };
}
