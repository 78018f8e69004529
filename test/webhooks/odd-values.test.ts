import fc from "fast-check";
import { expect, it } from "vitest";
import { get, isArray, isObject, type Json, type JsonObject } from "../../src/json/json.ts";
import { fieldOf, type Path } from "../../src/json/path.ts";
import { openGates } from "../../src/kind/gate.ts";
import type { Kind } from "../../src/kind/kind.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { servingEngine } from "../../src/laws/engine.ts";
import { harvestsOf } from "../../src/laws/harvest.ts";
import { objectsOf } from "../../src/laws/objects.ts";
import { offlineListers } from "../../src/offline/listers.ts";
import { answerMutation, answerValidation } from "../../src/review/admission.ts";
import { wholeReview } from "../../src/review/answer.ts";

// Each value of each example is replaced with one of another type. A request that does not come from an API server may hold
// such an object; a stored object may too, and the API server accepts an update that leaves an invalid value unchanged.

const oddValues: readonly Json[] = [null, false, 7, "", "odd", [], [null], [[]], {}, { odd: null }];
const kinds = await loadKinds(["webhooks"]);
const now = () => new Date("2026-07-02T09:20:58Z");
const listerOf = offlineListers(
  kinds.all.flatMap((kind) => kind.examples.map(({ object }) => object)),
  kinds,
  { now, gates: new Map() },
);

it.each(kinds.all)(
  "no function of $name throws at a value of the wrong type",
  (kind) => {
    const failed = new Set<string>();
    const seed = Number(process.env.SEED);
    const bases = [...kind.examples.map(({ object }) => object), ...drawnOf(kind, seed)];
    for (const [index, base] of bases.entries()) {
      const other = bases[(index + 1) % bases.length] ?? base;
      for (const [turn, path] of pathsIn(base).entries()) {
        const odd = oddValues[(index + turn) % oddValues.length] ?? null;
        const old = replaced(other, path, odd);
        for (const answer of [answerMutation, answerValidation]) {
          for (const oldObject of isObject(old) ? [undefined, old] : [undefined]) {
            const message = failure(answer, kind, replaced(base, path, odd), oldObject);
            if (message !== undefined) failed.add(`${fieldOf(path)} = ${JSON.stringify(odd)}: ${message}`);
          }
        }
      }
    }
    expect([...failed].slice(0, 20)).toEqual([]);
  },
  120_000,
);

/** Objects with more fields than the examples have, drawn from the schemas. */
function drawnOf(kind: Kind, seed: number): readonly JsonObject[] {
  const found = harvestsOf(kind, servingEngine);
  return kind.versions.flatMap((_, version) => {
    const { valid } = objectsOf(kind, version, found[version] ?? new Map());
    return fc.sample(valid, { seed, numRuns: Number(process.env.ODD_RUNS ?? 5) });
  });
}

/** The error that a review ends with, if a function throws. */
function failure(
  answer: typeof answerValidation,
  { definition: { group, kind } }: Kind,
  object: Json,
  oldObject: JsonObject | undefined,
): string | undefined {
  const version = String(get(object, "apiVersion")).replace(/^.*\//, "");
  const request = {
    uid: "odd",
    kind: { group, version, kind },
    operation: oldObject === undefined ? "CREATE" : "UPDATE",
    namespace: "home",
    object,
    ...(oldObject === undefined ? {} : { oldObject }),
  };
  const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request };
  const answered = answer(review, {
    kinds,
    now,
    random: () => 0.5,
    listersOf: (needs = {}) =>
      Object.fromEntries(Object.entries(needs).map(([name, need]) => [name, listerOf(need)])),
    gatesOf: (known) => openGates(known, new Map()),
    mayWait: () => false,
  });
  const status = get(wholeReview(answered), "response", "status");
  return get(status, "reason") === "InternalError" ? String(get(status, "message")) : undefined;
}

function pathsIn(value: Json | undefined, path: Path = []): readonly Path[] {
  const below = isArray(value)
    ? value.flatMap((item, index) => pathsIn(item, [...path, index]))
    : isObject(value)
      ? Object.entries(value).flatMap(([key, item]) => pathsIn(item, [...path, key]))
      : [];
  // An object's own type is not in question: it decides which kind is asked.
  const isIdentity =
    path.length === 0 || (path.length === 1 && (path[0] === "apiVersion" || path[0] === "kind"));
  return isIdentity ? below : [path, ...below];
}

/** A value with another one at a path; what the path lacks on the way stays absent. */
function replaced(value: Json, path: Path, odd: Json): Json {
  const [step, ...rest] = path;
  if (step === undefined) return odd;
  if (typeof step === "number") {
    return isArray(value)
      ? value.map((item, index) => (index === step ? replaced(item, rest, odd) : item))
      : value;
  }
  if (!isObject(value)) return value;
  return { ...value, [step]: replaced(value[step] ?? {}, rest, odd) };
}
