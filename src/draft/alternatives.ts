import { get, isArray, type Json, type JsonObject, listAt, objectAt, textAt } from "../json/json.ts";
import { compileRules } from "../schema/cel/rules/rules.ts";
import { readSchema } from "../schema/model/schema.ts";
import { wordsOfName } from "../values/words.ts";
import { plainValue } from "./example.ts";
import { commonHead, type Field, isNeeded, isWithin, schemaAt } from "./fields.ts";
import type { Proposal } from "./likeness.ts";

/**
 * Proposals of which only guesses are left where a field that one version alone has chooses between objects: `source.url` is
 * `source.git.url` only if `source.type` says so, which nothing fills. So it is where a value of one version alone has the path of an
 * object of the other one, and may say whether that is there. Nor is a row certain for what the older version requires where
 * the newer one takes another field in its place, or where one version takes at most one field of several.
 */
export function withoutChoices(
  proposals: readonly Proposal[],
  { older, newer }: Readonly<Record<"older" | "newer", { schema: JsonObject; lone: readonly Field[] }>>,
): readonly Proposal[] {
  const [ofOlder, ofNewer] = [older, newer].map(({ schema, lone }) =>
    lone.filter((field) => isChoice(schema, field)),
  ) as [Field[], Field[]];
  const isAlways = ({ older: { path }, newer: to }: Proposal) =>
    isNeeded(older.schema, path, commonHead(path, to.path));
  return proposals.map((proposal) => {
    const choice =
      ofOlder.find((each) => isBeside(each, proposal.older, proposal.newer)) ??
      ofNewer.find((each) => isBeside(each, proposal.newer, proposal.older)) ??
      older.lone.find((each) => isWithin(proposal.newer, each)) ??
      newer.lone.find((each) => isWithin(proposal.older, each));
    const other = isAlways(proposal)
      ? proposals.find(({ newer: { path } }) => excludes(newer.schema, path, proposal.newer.path))
      : undefined;
    const isOne = onesAround(older.schema, proposal.older) !== onesAround(newer.schema, proposal.newer);
    if (choice === undefined && !isOne && other === undefined) return proposal;
    const but =
      choice !== undefined
        ? `${choice.path.join(".")} may choose otherwise`
        : isOne
          ? "one version takes one field of several there"
          : `each older object has it, and newer ones have it or ${other?.newer.path.join(".")}`;
    return { ...proposal, reason: `${proposal.reason}, but ${but}`, isCertain: false };
  });
}

/** How many objects around a field take at most one field of several. */
function onesAround(schema: JsonObject, { path }: Field): number {
  return path.filter((_, at) => {
    const around = schemaAt(schema, path.slice(0, at));
    return get(around, "maxProperties") === 1 && Object.keys(objectAt(around, "properties")).length > 1;
  }).length;
}

/** Whether fields are in two objects of which a schema's rules take either alone, but not both. */
function excludes(schema: JsonObject, a: readonly string[], b: readonly string[]): boolean {
  const at = commonHead(a, b);
  const [name, other] = [a[at], b[at]];
  const around = schemaAt(schema, a.slice(0, at));
  if (name === undefined || other === undefined || around === undefined) return false;
  const isNamed = (word: string) => (each: Json) => textAt(each, "rule").includes(word);
  const rules = listAt(around, "x-kubernetes-validations").filter(isNamed(name)).filter(isNamed(other));
  if (rules.length === 0) return false;
  // To compile the others takes long, and a rule that does not name them does not read them.
  const fields = Object.entries(objectAt(around, "properties")).filter(([word]) => rules.some(isNamed(word)));
  const properties = Object.fromEntries(fields);
  const compiled = compileRules(
    readSchema({ ...around, properties, "x-kubernetes-validations": rules }),
  ).rules;
  const faultsOf = (...names: readonly string[]) => {
    const values = names.map(
      (each) => [each, plainValue({ schema: objectAt(properties, each), name: each, width: 0 })] as const,
    );
    return compiled.check(Object.fromEntries(values), undefined, []).faults.length;
  };
  return faultsOf(name, other) > faultsOf(name) + faultsOf(other);
}

/** Whether a field is a required text that says of what kind the object around it is, or what it refers to. */
function isChoice(schema: JsonObject, { path, sort, schema: { enum: choices } }: Field): boolean {
  const name = wordsOfName(path.at(-1) ?? "").at(-1) ?? "";
  return (
    sort === "string" && (isSeveral(choices) || ["type", "kind"].includes(name)) && isNeeded(schema, path)
  );
}

/**
 * Whether a field is in an object beside a choice, which its counterpart is not in, or beside one that has a list of choices itself:
 * a name is that of a kind.
 */
function isBeside(
  { path: choice, schema: { enum: choices } }: Field,
  { path, sort }: Field,
  counterpart: Field,
): boolean {
  const isSaid = sort === "object" || isSeveral(choices);
  const isNear = path.length > choice.length || (path.length === choice.length && isSaid);
  const isInBoth = path.slice(0, choice.length).every((name, at) => counterpart.path[at] === name);
  return isNear && choice.slice(0, -1).every((name, at) => path[at] === name) && !isInBoth;
}

function isSeveral(choices: Json | undefined): boolean {
  return isArray(choices) && choices.length > 1;
}
