import { isObject } from "../../json/json.ts";
import { stepsOfField } from "../../json/path.ts";
import { differenceOf } from "../../judge/differences.ts";
import type { Kind } from "../../kind/kind.ts";
import {
  type AuthorPlace,
  mapsField,
  placeOfField,
  placeOfLens,
  rowAcrossStatus,
} from "../../kind/row-place.ts";
import { authorFrames } from "../../kind/stack.ts";
import { faultsAt } from "../../laws/admitted.ts";
import type { Counterexample } from "../../laws/law.ts";
import type { Answer, KindReport, Report } from "./report.ts";

/** A report in which each broken law has the place in the author's files that it is about. */
export async function placed(report: Report, kinds: readonly Kind[]): Promise<Report> {
  const reports = report.kinds.map(async (each): Promise<KindReport> => {
    const kind = kinds.find(({ folder }) => folder === each.folder);
    if (kind === undefined) return each;
    return {
      ...each,
      answers: await Promise.all(each.answers.map((answer) => placedAnswer(answer, each, kind))),
    };
  });
  return { ...report, kinds: await Promise.all(reports) };
}

async function placedAnswer(answer: Answer, { file }: KindReport, kind: Kind): Promise<Answer> {
  if (answer.counterexample === undefined) return answer;
  const { stack = "", ...counterexample } = answer.counterexample;
  const [thrownAt] = authorFrames(stack);
  const isMapped = aboutOf(counterexample, kind).lenses.length > 0;
  const across = !isMapped || lawsOfStatus.has(answer.law) ? await acrossStatus(kind) : undefined;
  const isFound = across !== undefined && across.file !== "";
  const { file: found, place } = thrownAt ?? (isFound ? across : await placeOf(counterexample, kind, file));
  const column = place === undefined ? {} : { column: place.column };
  const invalid = whyInvalid(counterexample, kind);
  return {
    ...answer,
    counterexample,
    isMapped,
    ...(across === undefined ? {} : { across: across.words }),
    ...(invalid === undefined ? {} : { invalid }),
    place: { file: found, line: place?.line ?? 1, ...column },
  };
}

/** The laws in which clients write to /status, or to everything else, alone. */
const lawsOfStatus: ReadonlySet<string> = new Set(["Hostile", "Interleaving", "StatusWriters"]);

/** The first row of a kind that maps a field of spec to one of status or the other way round. */
async function acrossStatus({ versions }: Kind) {
  for (const { lens } of versions) {
    const found = lens === undefined ? undefined : await rowAcrossStatus(lens);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Why the version of a counterexample's object does not admit it. */
function whyInvalid({ object }: Counterexample, { versions }: Kind): string | undefined {
  if (!isObject(object)) return undefined;
  const version = versions.find(({ apiVersion }) => apiVersion === object.apiVersion);
  const [fault] = version === undefined ? [] : faultsAt(version, object);
  if (version === undefined || fault === undefined) return undefined;
  const { field = "", message } = fault;
  return `not a valid one of ${version.name} (${field}: ${message})`;
}

/** The row of the field that differs, else the lens between the versions, else the file that defines the kind. */
async function placeOf(broken: Counterexample, kind: Kind, file: string): Promise<AuthorPlace> {
  const { field, lenses, between } = aboutOf(broken, kind);
  for (const { lens, side } of lenses) {
    const place = field.length === 0 ? undefined : await placeOfField(lens, side, field);
    if (place !== undefined) return place;
  }
  return between === undefined ? { file } : placeOfLens(between.lens, between.name, file);
}

/** The field of a counterexample, the lenses on its way that map it, the likeliest first, and the first lens of all. */
function aboutOf(broken: Counterexample, kind: Kind) {
  const names = kind.versions.map(({ name }) => name);
  const way = broken.versions
    .split(" → ")
    .map((name) => names.indexOf(name))
    .filter((index) => index >= 0);
  const lowest = Math.min(...way);
  const lenses = kind.versions
    .slice(lowest, Math.max(...way))
    .flatMap(({ lens, name }, index) => (lens === undefined ? [] : [{ lens, name, older: lowest + index }]));
  const { field, versions } = fieldOf(broken, names, way);
  const mapping = versions.flatMap((version) =>
    lenses
      .filter(({ older }) => version === older || version === older + 1)
      .map(({ lens, older }) => ({ lens, side: version === older ? ("older" as const) : ("newer" as const) }))
      .filter(({ lens, side }) => mapsField(lens, side, field)),
  );
  return { field, lenses: mapping, between: lenses[0] };
}

/** The steps to the field of a counterexample, and the versions that it may be a field of, the likeliest first. */
function fieldOf(
  { field, expected, actual }: Counterexample,
  names: readonly string[],
  way: readonly number[],
): { readonly field: readonly string[]; readonly versions: readonly number[] } {
  if (field === "") {
    // Whole objects differ: those are at the end of the way.
    const steps = differenceOf(expected, actual)?.path ?? [];
    return { field: steps.map(String), versions: way.toReversed() };
  }
  // Some laws write the version before the field, or a remark after it.
  const isAfter = (name: string) => field.endsWith(` at ${name}`);
  const version = names.findIndex(
    (name) => field.startsWith(`${name} `) || field.startsWith(`${name}.`) || isAfter(name),
  );
  const { [version]: name = "" } = names;
  const own = isAfter(name) ? field.slice(0, -` at ${name}`.length) : field.slice(name.length + 1);
  const rest = version < 0 ? field : own;
  const steps = stepsOfField(rest.replace(/: .*$/s, "")).map((step) => (step === "" ? "[]" : step));
  return { field: steps, versions: version < 0 ? way : [version] };
}
