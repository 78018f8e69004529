import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseQuantity, printQuantity, quantity, quantityOf } from "../../../src/apimachinery/quantity.ts";
import { parseJson } from "../../../src/json/exact.ts";
import {
  define,
  get,
  isArray,
  isExactNumber,
  isObject,
  type Json,
  type JsonObject,
} from "../../../src/json/json.ts";

/** A request to OpenKruise and its response; test/webhooks/openkruise/recorded/README.md describes the members of each kind. */
export interface GoldenCase {
  readonly name: string;
  readonly input: JsonObject;
  readonly output: JsonObject;
  /** Of named cases only. */
  readonly features: readonly string[];
  readonly note: string;
  /** Why the order of OpenKruise's answer is random; empty if it is not. */
  readonly reason: string;
  /** Whether OpenKruise gives several answers to the same input; `output.anyOf` lists them. */
  readonly unstable: boolean;
}

export type GoldenKind =
  | "convert"
  | "default"
  | "expr"
  | "hash"
  | "inject"
  | "merge"
  | "overlap"
  | "revision"
  | "validate";

/** The cases of a kind, named ones first. GOLDEN names another folder of the same layout; a kind without cases is an error. */
export function goldenCases(kind: GoldenKind): readonly GoldenCase[] {
  const folder = path.join(process.env.GOLDEN ?? "test/webhooks/openkruise/recorded", kind);
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  const cases = names.flatMap((name) => {
    const text = readFileSync(path.join(folder, name), "utf8");
    const lines = name.endsWith(".jsonl") ? text.split("\n").filter((line) => line.trim() !== "") : [text];
    return lines.map((line) => caseOf(parseJson(line)));
  });
  if (cases.length === 0) throw new Error(`${folder}: has no golden case`);
  return cases;
}

/** An object without what Go adds or leaves out without meaning, its quantities by value; lists keep their order. */
export function normal(value: Json): Json {
  if (!isArray(value) && !isObject(value)) return value;
  const known = normals.get(value);
  if (known !== undefined) return known;
  const result = isArray(value) ? value.map(normal) : normalMembers(value);
  normals.set(value, result);
  return result;
}

/** Records that differ in a single value share all others. */
const normals = new WeakMap<object, Json>();

function normalMembers(value: JsonObject): Json {
  const result: Record<string, Json> = {};
  for (const [key, below] of Object.entries(value)) {
    const inner = key === "resourcesExpr" ? below : quantityKeys.has(key) ? amounts(below) : normal(below);
    if (!isNoise(key, inner)) define(result, key, inner);
  }
  return result;
}

/** The normal form of a whole object, without zeros in its status. */
export function normalObject(value: JsonObject): Json {
  const { status, ...rest } = normal(value) as JsonObject;
  const counts = isObject(status) ? Object.entries(status).filter(([, below]) => below !== 0) : [];
  return counts.length > 0 ? { ...rest, status: Object.fromEntries(counts) } : rest;
}

function caseOf(value: Json): GoldenCase {
  const [input, output, features, note, reason] = ["input", "output", "features", "note", "reason"].map(
    (key) => get(value, key),
  );
  if (!isObject(input) || !isObject(output))
    throw new Error(`a golden case without input or output: ${get(value, "name")}`);
  return {
    name: String(get(value, "name")),
    input,
    output,
    features: isArray(features) ? features.map(String) : [],
    note: typeof note === "string" ? note : "",
    reason: typeof reason === "string" ? reason : "",
    unstable: get(value, "unstable") === true,
  };
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

const quantityKeys = words("limits requests capacity divisor sizeLimit storage");
const emptyObjects =
  words(`annotations injectionStrategy labels limits matchLabels metadata nodeSelector requests
  resources resourcesExpr shareVolumePolicy status updateStrategy upgradeStrategy`);
// Members that are plain strings, numbers or booleans in Go, left out when they say nothing. Pointers are none of these.
const emptyTexts =
  words(`containerName customVersion envName host hostIP hotUpgradeEmptyImage image imagePullPolicy
  mountPropagation namespace policy prefix scheme sourceContainerName subPath subPathExpr terminationMessagePath
  terminationMessagePolicy upgradeType value workingDir`);
const zeros =
  words(`failureThreshold hostPort initialDelaySeconds observedGeneration periodSeconds successThreshold
  timeoutSeconds updatedReadyPods`);
const falses = words("hostIPC hostNetwork hostPID paused readOnly stdin stdinOnce tty");

function isNoise(key: string, value: Json): boolean {
  if (value === null || (isArray(value) && value.length === 0)) return true;
  if (value === "") return emptyTexts.has(key);
  if (value === 0) return zeros.has(key);
  if (value === false) return falses.has(key);
  if (key === "divisor") return value === "0";
  return isObject(value) && Object.keys(value).length === 0 && emptyObjects.has(key);
}

/** A quantity, or a map of quantities, each in canonical form. Other values are unchanged. */
function amounts(value: Json): Json {
  if (isObject(value) && !isExactNumber(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, below]) => [key, amounts(below)]));
  }
  const read = typeof value === "string" ? parseQuantity(value) : quantityOf(value);
  if (read === undefined) return value;
  return printQuantity(quantity(read.mantissa, read.exponent, "DecimalExponent"));
}
