import { get, isArray, type Json, type JsonObject, listAt, textAt } from "../json/json.ts";
import type { Field } from "./fields.ts";
import type { Proposal } from "./likeness.ts";
import { wordsOfName } from "./words.ts";

/**
 * Proposals of which only guesses are left where a field that one version alone has chooses between objects: `source.url` is
 * `source.git.url` only if `source.type` says so, which nothing fills. Nor is a row certain for what the older version requires where
 * the newer one takes another field in its place.
 */
export function withoutChoices(
  proposals: readonly Proposal[],
  { older, newer }: Readonly<Record<"older" | "newer", { schema: JsonObject; lone: readonly Field[] }>>,
): readonly Proposal[] {
  const [ofOlder, ofNewer] = [older, newer].map(({ schema, lone }) =>
    lone.filter((field) => isChoice(schema, field)),
  ) as [Field[], Field[]];
  return proposals.map((proposal) => {
    const choice =
      ofOlder.find((each) => isBeside(each, proposal.older, proposal.newer)) ??
      ofNewer.find((each) => isBeside(each, proposal.newer, proposal.older));
    const other = proposals.find(({ newer: { path } }) => excludes(newer.schema, path, proposal.newer.path));
    if (choice === undefined && (other === undefined || !isAlways(older.schema, proposal))) return proposal;
    const but =
      choice === undefined
        ? `it is required there, and ${other?.newer.path.join(".")} excludes it here`
        : `${choice.path.join(".")} may choose another`;
    return { ...proposal, reason: `${proposal.reason}, but ${but}`, isCertain: false };
  });
}

/** Whether fields are in two objects of which a schema's rule takes only one. */
function excludes(schema: JsonObject, a: readonly string[], b: readonly string[]): boolean {
  const at = a.findIndex((name, index) => name !== b[index]);
  const around = get(schema, ...a.slice(0, Math.max(at, 0)).flatMap((step) => ["properties", step]));
  const isNamed = (rule: string, name: string | undefined) => rule.includes(`has(self.${name})`);
  return (
    at > 0 &&
    listAt(around, "x-kubernetes-validations")
      .map((each) => textAt(each, "rule"))
      .some((rule) => isNamed(rule, a[at]) && isNamed(rule, b[at]) && /[=<]= ?1\b|!=|\? ?!|!\(/.test(rule))
  );
}

/** Whether each object of the older version has the field, as far as the newer version has the objects around it. */
function isAlways(schema: JsonObject, { older: { path }, newer }: Proposal): boolean {
  return path.every((name, at) => {
    const around = get(schema, ...path.slice(0, at).flatMap((step) => ["properties", step]));
    return name === newer.path[at] || listAt(around, "required").includes(name);
  });
}

/** Whether a field is a required text that says of what kind the object around it is, or what it refers to. */
function isChoice(schema: JsonObject, { path, sort, schema: { enum: choices } }: Field): boolean {
  const name = path.at(-1) ?? "";
  const around = get(schema, ...path.slice(0, -1).flatMap((step) => ["properties", step]));
  const required = get(around, "required");
  const isNamedSo = isSeveral(choices) || ["type", "kind"].includes(wordsOfName(name).at(-1) ?? "");
  return sort === "string" && isNamedSo && isArray(required) && required.includes(name);
}

/**
 * Whether a field is in an object beside a choice, which its counterpart is not in, or beside one that has a list of choices itself:
 * a name is that of a kind.
 */
function isBeside(
  { path: choice, schema: { enum: choices } }: Field,
  { path }: Field,
  counterpart: Field,
): boolean {
  const isNear = path.length > choice.length || (path.length === choice.length && isSeveral(choices));
  const isInBoth = path.slice(0, choice.length).every((name, at) => counterpart.path[at] === name);
  return isNear && choice.slice(0, -1).every((name, at) => path[at] === name) && !isInBoth;
}

function isSeveral(choices: Json | undefined): boolean {
  return isArray(choices) && choices.length > 1;
}
