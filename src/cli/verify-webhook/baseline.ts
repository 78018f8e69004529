import { createReadStream } from "node:fs";
import { type Finding, notes, wordsOf } from "../../checks/index.ts";
import { UsageError } from "../../errors.ts";
import { jsonIn } from "../../json/exact.ts";
import { get, isArray, isObject, type Json } from "../../json/json.ts";
import { readLimited } from "../../offline/limited-text.ts";
import type { WebhookKind } from "./report.ts";

/** What an earlier report found: a key for each place of each finding that is more than a note. */
type Baseline = ReadonlySet<string>;

/** Reads a report of `-o json`. Throws UsageError. */
export async function readBaseline(file: string): Promise<Baseline> {
  const fault = (what: string) =>
    new UsageError(`--baseline ${file}: ${what}; make it with antechamber verify … -o json > ${file}`);
  const text = await readLimited(createReadStream(file)).catch((error: Error) => {
    throw fault(error.message);
  });
  const kinds = get(jsonIn(text), "kinds");
  if (!isArray(kinds)) throw fault("not a report");
  return new Set(
    kinds.flatMap((kind) => {
      const findings = [get(kind, "findings"), get(kind, "known")].flatMap((each) =>
        isArray(each) ? each : [],
      );
      return findings.filter(isFinding).flatMap((finding) => keysOf(String(get(kind, "kind")), finding));
    }),
  );
}

type Known = Pick<Finding, "kind" | "check" | "versions" | "place" | "places" | "message">;

function isFinding(value: Json): value is Json & Known {
  const texts = (list: Json | undefined) => isArray(list) && list.every((each) => typeof each === "string");
  return (
    isObject(value) &&
    ["kind", "check", "place"].every((name) => typeof value[name] === "string") &&
    texts(value.versions) &&
    texts(value.places)
  );
}

/** A key for each place of a finding. That a value is lost or became another one may depend on the values drawn. */
function keysOf(
  kind: string,
  { kind: sort, check, versions, place, places, message }: Known,
): readonly string[] {
  if (notes.has(sort)) return [];
  const group = ["became", "moved"].includes(sort) ? "lost" : sort;
  const own = check === "edit" ? check : "";
  // Of the whole object only the words tell one finding from another; what is quoted differs from object to object.
  const words = wordsOf(message ?? "");
  const of = (each: string) => JSON.stringify([kind, group, own, versions, each, each === "" ? words : ""]);
  return (places.length === 0 ? [place] : places).map(of);
}

/**
 * A kind with what a baseline has moved to `known`, and what the baseline has and this run has not, though it tried all, in
 * `stale`. A finding at several places of which some are new is new at these.
 */
export function against(kind: WebhookKind, baseline: Baseline): WebhookKind {
  const found = new Set(kind.findings.flatMap((finding) => keysOf(kind.kind, finding)));
  const isAll = kind.ways.every(({ left }) => left.length === 0);
  const stale = [...baseline].filter((key) => isAll && JSON.parse(key)[0] === kind.kind && !found.has(key));
  const findings: Finding[] = [];
  const known: Finding[] = [];
  for (const finding of kind.findings) {
    const keys = keysOf(kind.kind, finding);
    const fresh = finding.places.filter((_, index) => !baseline.has(keys[index] ?? ""));
    if (keys.length === 0 || keys.every((key) => !baseline.has(key))) findings.push(finding);
    else if (keys.every((key) => baseline.has(key))) known.push(finding);
    else
      findings.push({
        ...finding,
        place: fresh.length === 1 ? (fresh[0] ?? "") : finding.place,
        places: fresh,
      });
  }
  return { ...kind, findings, known, stale: stale.map(lineOf) };
}

/** What a key says: `lost spec.size (v1 → v2 → v1)`. */
function lineOf(key: string): string {
  const [, group, own, versions, place, words] = JSON.parse(key);
  const what = place === "" ? `the whole object, ${words}` : place;
  return `${group} ${what} (${versions.join(" → ")}${own === "" ? "" : `, ${own}`})`;
}
