import { isArray, type Json, type JsonObject, listAt, textAt } from "../json/json.ts";
import { wordsOfName } from "../values/words.ts";
import { commonHead, type Field, isNeeded } from "./fields.ts";
import type { Proposal } from "./likeness.ts";

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
  const isAlways = ({ older: { path }, newer: to }: Proposal) =>
    isNeeded(older.schema, path, commonHead(path, to.path));
  return proposals.map((proposal) => {
    const choice =
      ofOlder.find((each) => isBeside(each, proposal.older, proposal.newer)) ??
      ofNewer.find((each) => isBeside(each, proposal.newer, proposal.older));
    const other = proposals.find(({ newer: { path } }) => excludes(newer.schema, path, proposal.newer.path));
    if (choice === undefined && (other === undefined || !isAlways(proposal))) return proposal;
    const but =
      choice === undefined
        ? `each older object has it, and newer ones have it or ${other?.newer.path.join(".")}`
        : `${choice.path.join(".")} may choose another`;
    return { ...proposal, reason: `${proposal.reason}, but ${but}`, isCertain: false };
  });
}

/** Whether fields are in two objects of which a schema's rule takes only one. */
function excludes(schema: JsonObject, a: readonly string[], b: readonly string[]): boolean {
  const at = commonHead(a, b);
  const around = a.slice(0, at).flatMap((step) => ["properties", step]);
  const isNamed = (rule: string, name: string | undefined) => rule.includes(`has(self.${name})`);
  return (
    at < Math.min(a.length, b.length) &&
    listAt(schema, ...around, "x-kubernetes-validations")
      .map((each) => textAt(each, "rule"))
      .some((rule) => isNamed(rule, a[at]) && isNamed(rule, b[at]) && /[=<]= ?1\b|!=|\? ?!|!\(/.test(rule))
  );
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
