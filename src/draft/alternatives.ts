import { get, isArray, type Json, type JsonObject } from "../json/json.ts";
import { wordsOfName } from "../values/words.ts";
import type { Field } from "./fields.ts";
import type { Proposal } from "./likeness.ts";

/**
 * Proposals of which only guesses are left where a field that one version alone has chooses between objects: `source.url` is
 * `source.git.url` only if `source.type` says so, which nothing fills.
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
    if (choice === undefined) return proposal;
    const reason = `${proposal.reason}, but ${choice.path.join(".")} may choose another`;
    return { ...proposal, reason, isCertain: false };
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
