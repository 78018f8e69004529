import { describe, expect, it } from "vitest";
import { detach } from "../../../src/conversion/carriers.ts";
import { equal } from "../../../src/json/equal.ts";
import { isObject, type Json, type JsonObject } from "../../../src/json/json.ts";
import type { Path } from "../../../src/json/path.ts";
import { versionIndex } from "../../../src/kind/kind.ts";
import { loadKinds } from "../../../src/kind/load-kinds.ts";
import { admit } from "../../support/admit.ts";
import { brokenRecords } from "./broken.ts";
import { type GoldenCase, goldenCases, normalObject } from "./cases.ts";
import {
  isDecodeError,
  isUnreadable,
  knownPart,
  namesNoSource,
  unknownMembers,
  withoutSecondSource,
} from "./differences.ts";

const kinds = await loadKinds(["webhooks"]);
const found = kinds.find("apps.kruise.io", "SidecarSet");
if (found === undefined) throw new Error("there is no kind SidecarSet");
const kind = found;
const cases = goldenCases("default").map((each) => [each.name, each] as const);

interface Answer extends ReturnType<typeof admit> {
  /** What is compared of the answer. */
  readonly shown: Json;
  /** Why OpenKruise rejects the object. */
  readonly rejection: Rejection | undefined;
}

describe("defaults of SidecarSets are OpenKruise's", () => {
  it.each(cases)("%s", (_name, golden) => {
    const answer = answerTo(golden);
    expect(disagreement(golden, answer)).toBeUndefined();
    const before = golden.input.object as JsonObject;
    if (answer.response.allowed !== true) return;
    for (const path of unknownMembers(before)) {
      expect(valueAt(answer.object, path)).toEqual(valueAt(before, path));
    }
  });

  it.each(cases)("%s: no other record would pass", (_name, golden) => {
    const answer = answerTo(golden);
    const passing = [...brokenRecords(golden.output)].filter(
      ({ output }) =>
        !isSame(output, golden.output) && disagreement({ ...golden, output }, answer) === undefined,
    );
    expect(passing.map(({ change }) => change)).toEqual([]);
  });

  it.each(cases)("%s: what was filled in stays as it is", (_name, golden) => {
    const { operation = null, version = null } = golden.input;
    const { response, object } = answerTo(golden);
    if (response.allowed === true) {
      expect(admit("mutate", kinds, { operation, version, object }).object).toEqual(object);
    }
  });
});

function answerTo({ input }: GoldenCase): Answer {
  const { operation = null, version = null } = input;
  const admitted = admit("mutate", kinds, { operation, version, object: input.object as JsonObject });
  const shown = comparable(knownPart(detach(admitted.object).object));
  return { ...admitted, shown, rejection: rejectionOf(input) };
}

/** How the answer differs from what the record asks for; undefined if it does not. */
function disagreement(
  { input, output }: GoldenCase,
  { response, object, shown, rejection }: Answer,
): unknown {
  const before = input.object as JsonObject;
  if (rejection !== undefined) {
    const { allowed, code, changed } = output;
    const isRecord =
      allowed === false && code === rejection.code && changed === false && !("object" in output);
    return isRecord && rejection.isMessage(output.message) && response.allowed === rejection.isAllowedHere
      ? undefined
      : response;
  }
  const isRecord = output.allowed === true && output.code === 200 && output.message === undefined;
  if (!isRecord || output.changed !== isObject(output.object) || response.allowed !== true) return response;
  const wanted = withoutSecondSource((output.object ?? before) as JsonObject, before);
  return equal(shown, comparable(wanted)) ? undefined : object;
}

interface Rejection {
  readonly code: number;
  readonly isMessage: (message: Json | undefined) => boolean;
  readonly isAllowedHere: boolean;
}

/** Why OpenKruise's mutating webhook rejects an object. Ours leaves that to the schema, or to the validating one. */
function rejectionOf({ object, version = null }: JsonObject): Rejection | undefined {
  const before = object as JsonObject;
  if (versionIndex(kind, before.apiVersion) === undefined) {
    const words = `unsupported version: ${version}`;
    return { code: 400, isMessage: (message) => message === words, isAllowedHere: false };
  }
  if (isUnreadable(before)) return { code: 400, isMessage: isDecodeError, isAllowedHere: true };
  const isPanic = (message: Json | undefined) => message === panic;
  return namesNoSource(before) ? { code: 500, isMessage: isPanic, isAllowedHere: true } : undefined;
}

const panic = "panic: runtime error: invalid memory address or nil pointer dereference [recovered]";

/** Whether two records differ only in what the schema fills in. */
function isSame({ object: a, ...one }: JsonObject, { object: b, ...other }: JsonObject): boolean {
  return isObject(a) && isObject(b) && equal(comparable(a), comparable(b)) && equal(one, other);
}

/** What the schema fills in is the API server's to add, before us or after: it counts on neither side. */
function comparable(object: JsonObject): Json {
  const version = kind.versions[versionIndex(kind, object.apiVersion) ?? 0];
  return normalObject(version?.defaulted(object) ?? object);
}

function valueAt(object: JsonObject, path: Path): unknown {
  return path.reduce<unknown>((here, step) => (here as Record<string, unknown>)[step], object);
}
