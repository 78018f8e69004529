import { describe, expect, it } from "vitest";
import { detach } from "../../../src/conversion/carriers.ts";
import { convert } from "../../../src/conversion/convert.ts";
import { equal } from "../../../src/json/equal.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../../../src/json/json.ts";
import { loadKinds } from "../../../src/kind/load-kinds.ts";
import { admit } from "../../support/admit.ts";
import { workloadCases } from "../../support/workload-cases.ts";
import { askFunctions, functionsLeftOut, requireFunctions } from "../kruise-functions.ts";
import { type Draw, drawing, pick } from "./draw.ts";
import { workloadFields } from "./kruise-fields.ts";
import { shaken, type Taste } from "./workload-draw.ts";
import { drawWorkload, type Workload, workloads } from "./workloads.ts";

const program = requireFunctions();
const kinds = await loadKinds(["webhooks"]);
const objects = Number(process.env.KRUISE_RUNS ?? 400);

if (program === undefined) it(functionsLeftOut, () => {});
else
  describe.each(workloads)("$kind, compared with OpenKruise's functions,", (workload) =>
    claims(program, workload),
  );

function claims(built: string, workload: Workload): void {
  const seed = Number(process.env.SEED ?? 1);
  const each = Array.from({ length: objects }, (_, index) => index);
  /** What both sides hold of an object: as OpenKruise's types write it. */
  const read = async (found: readonly JsonObject[]) =>
    (
      await askFunctions(
        built,
        found.map((object) => ({ webhook: "read", object })),
      )
    ).map((answer) => answer.object as JsonObject);

  const timeout = 30_000 + objects * 20;

  it(`is converted the same way, and comes back whole, ${objects} objects`, { timeout }, async () => {
    const drawn = each.map((index) => {
      const draw = drawing(seed + index);
      const from = pick(draw, ["v1alpha1", "v1beta1"]);
      const to = from === "v1alpha1" ? "v1beta1" : "v1alpha1";
      return { to, object: drawWorkload(workload, from, { draw, presence: 0.2, wrongness: 0 }) };
    });
    const answers = await askFunctions(
      built,
      drawn.map(({ to, object }) => ({ webhook: "convert", to, object })),
    );
    const views = drawn.map(({ to, object }) => converted(object, to));
    const ours = await read(views.map((view) => detach(view).object));
    drawn.forEach(({ object }, index) => {
      const { allowed, object: theirs, message } = answers[index] ?? {};
      expect(allowed, `${message} ${JSON.stringify(object)}`).toBe(true);
      expect(ours[index], JSON.stringify(object)).toEqual(theirs);
      const back = converted(views[index] ?? {}, String(object.apiVersion).split("/")[1] ?? "");
      expect(detach(back).object).toEqual(object);
    });
  });

  it(`gets the same defaults, ${objects} objects`, { timeout }, async () => {
    const draws = each.map((index) => drawing(seed + index));
    const plain = draws.map((draw) =>
      drawWorkload(workload, pick(draw, ["v1alpha1", "v1beta1"]), { draw, presence: 0.15, wrongness: 0 }),
    );
    // An update that only adds or removes empty values changes nothing for Go, but for lists.
    const stored = await read(plain);
    const drawn = draws.map((draw, index): Question => {
      const [object, old] = [plain[index] ?? {}, stored[index] ?? {}];
      const gates = draw() < 0.2 ? { TemplateNoDefaults: true } : {};
      if (draw() < 0.5) return { operation: "CREATE", object, gates };
      const changed = draw() < 0.5 ? old : changedSpec(old, draw, 0.03);
      return { operation: "UPDATE", object: changed, gates, oldObject: old };
    });
    const answers = await askFunctions(
      built,
      drawn.map((question) => ({ webhook: "mutate", ...question })),
    );
    const [ours, theirs] = [
      await read(drawn.map((question) => withoutStatus(mutated(question)))),
      await read(answers.map(({ object }) => withoutStatus(object as JsonObject))),
    ];
    drawn.forEach((question, index) => {
      expect(answers[index]?.allowed, JSON.stringify(question)).toBe(true);
      expect(ours[index], JSON.stringify(question)).toEqual(theirs[index]);
    });
  });

  it("has the same faults in each case of the file", { timeout }, async () => {
    const cases = workloadCases().filter((each) => each.kind === workload.kind && !intended.has(each.name));
    const questions = cases.map(({ operation, object, oldObject }): Question => {
      return { operation, object, ...(oldObject && { oldObject }) };
    });
    const answers = await askFunctions(
      built,
      questions.map((question) => ({ webhook: "validate", ...question })),
    );
    const differing = questions.flatMap((question, index) =>
      differencesOf(question, answers[index] ?? {}).map((found) => [cases[index]?.name ?? "", found]),
    );
    expect(differing).toEqual([]);
    expect(answers.filter(({ allowed }) => allowed).length).toBeGreaterThan(4);
  });

  it(`has the same faults, ${objects} objects`, { timeout }, async () => {
    const drawn = each.map((index) => drawnWrite(workload, seed + index));
    const answers = await askFunctions(
      built,
      drawn.map((question) => ({ webhook: "validate", ...question })),
    );
    const differences = drawn.flatMap((question, index) => differencesOf(question, answers[index] ?? {}));
    expect(differences.slice(0, 20)).toEqual([]);
    expect(answers.filter(({ allowed }) => allowed).length).toBeGreaterThan(objects / 50);
  });
}

/** Cases in which we are meant to answer something else, and why. */
const intended: ReadonlySet<string> = new Set([
  // OpenKruise takes imagePullPolicy for an image: its pattern matches the beginning of the name.
  "in place, another pull policy",
]);

interface Question {
  readonly operation: string;
  readonly object: JsonObject;
  readonly oldObject?: JsonObject;
  readonly gates?: Readonly<Record<string, boolean>>;
}

/** A write of an object with defaults; an update changes an object in a few places. */
function drawnWrite(workload: Workload, seed: number): Question {
  const draw = drawing(seed);
  // Half of the objects have few faults or none, the others many.
  const taste: Taste =
    draw() < 0.5
      ? { draw, presence: pick(draw, [0.01, 0.03, 0.1]), wrongness: 0, tameness: pick(draw, [0.97, 1]) }
      : { draw, presence: pick(draw, [0.04, 0.1, 0.2]), wrongness: draw() < 0.03 ? 0.02 : 0 };
  const object = mutated({ operation: "CREATE", object: drawWorkload(workload, "v1beta1", taste) });
  if (draw() < 0.6) return { operation: "CREATE", object };
  const changed = mutated({
    operation: "UPDATE",
    object: changedSpec(object, draw, 0.02),
    oldObject: object,
  });
  return { operation: "UPDATE", object: changed, oldObject: object };
}

function changedSpec(object: JsonObject, draw: Draw, rate: number): JsonObject {
  return { ...object, spec: shaken(object.spec ?? {}, draw, rate) };
}

function withoutStatus({ status: _, ...rest }: JsonObject): JsonObject {
  const { object } = detach(rest);
  const metadata = get(object, "metadata");
  return { ...object, metadata: isObject(metadata) ? metadata : {} };
}

function mutated({ operation, object, oldObject, gates = {} }: Question): JsonObject {
  const version = String(object.apiVersion).split("/")[1] ?? "";
  return admit("mutate", kinds, {
    operation,
    version,
    object,
    ...(oldObject && { oldObject }),
    gates: Object.keys(gates),
  }).object;
}

/** What one side finds and the other does not. */
function differencesOf(question: Question, answer: JsonObject): readonly Json[] {
  const { operation, object, oldObject } = question;
  const { response } = admit("validate", kinds, {
    operation,
    version: String(object.apiVersion).split("/")[1] ?? "",
    object,
    ...(oldObject && { oldObject }),
  });
  const causes = objectsOf(get(response, "status", "details", "causes")).filter(
    ({ field }) => !String(field).includes(".ephemeralContainers["),
  );
  const errors = objectsOf(answer.errors).filter((error, _index, all) => !isEcho(error, all));
  const text = JSON.stringify(question);
  // A write that leaves spec unchanged is never rejected here.
  const isUnchanged = operation === "UPDATE" && equal(get(object, "spec"), get(oldObject, "spec"));
  if (isUnchanged && response.allowed === true) return [];
  if (answer.code === 400) {
    // OpenKruise cannot even read it: we name what cannot be read. What it cannot read of the old object can be repaired.
    const isNamed = causes.length > 0 && causes.every(({ reason }) => reason === "FieldValueTypeInvalid");
    const isOfOld =
      operation === "UPDATE" && causes.every(({ reason }) => reason !== "FieldValueTypeInvalid");
    return isNamed || isOfOld ? [] : [{ text, message: answer.message ?? "", causes } as Json];
  }
  if (String(answer.message).startsWith("invalid template modified with InPlaceOnly")) {
    const isNamed =
      causes.length > 0 && causes.every(({ message }) => String(message).includes("InPlaceOnly"));
    return isNamed ? [] : [{ text, message: answer.message ?? "", causes } as Json];
  }
  const onlyTheirs = errors.filter((error) => !causes.some((cause) => isSame(cause, error)));
  const onlyOurs = causes.filter((cause) => !errors.some((error) => isSame(cause, error)));
  const isAgreed = onlyTheirs.length === 0 && onlyOurs.length === 0 && response.allowed === answer.allowed;
  return isAgreed ? [] : [{ onlyTheirs, onlyOurs, message: answer.message ?? "", text } as Json];
}

/** OpenKruise reports an invalid selector, and a text that is not a range of ordinals, twice. */
function isEcho({ type, field, detail }: JsonObject, all: readonly JsonObject[]): boolean {
  const ordinal = /^(\d+) th reserve ordinal is invalid/.exec(String(detail))?.[1];
  // We say once that there must be no ephemeral containers, and not what else is wrong with them.
  if (String(field).includes(".ephemeralContainers[")) return true;
  const first = `${ordinal} th reserve ordinal is not a valid range`;
  return ordinal === undefined
    ? type === "FieldValueInvalid" && detail === "" && field === "spec.selector"
    : all.some((each) => String(each.detail).startsWith(first));
}

function isSame(cause: JsonObject, error: JsonObject): boolean {
  const [message, detail] = [String(cause.message), String(error.detail)];
  const fields = workloadFields(String(cause.field), detail);
  if (cause.reason !== error.type || !fields.includes(String(error.field))) return false;
  // Why a selector is invalid, the two say in other words.
  if (detail.startsWith("invalid selector ")) return message.includes("invalid selector ");
  return detail === ""
    ? !/: [a-z]/.test(message) || /^(?:Duplicate|Not)/.test(message)
    : message.endsWith(`: ${detail}`);
}

function objectsOf(value: Json | undefined): readonly JsonObject[] {
  return isArray(value) ? value.filter(isObject) : [];
}

function kindOf(object: JsonObject) {
  const kind = kinds.find("apps.kruise.io", String(object.kind));
  if (kind === undefined) throw new Error(`there is no kind ${object.kind}`);
  return kind;
}

function converted(object: JsonObject, to: string): JsonObject {
  const kind = kindOf(object);
  const indexOf = (apiVersion: string) => kind.versions.findIndex((each) => each.apiVersion === apiVersion);
  return convert(object, kind.chain, indexOf(String(object.apiVersion)), indexOf(`apps.kruise.io/${to}`));
}
