import { invalid, notSupported, required, type SchemaFault } from "../fault.ts";
import type { Rule, Schema } from "../model.ts";
import { followPath } from "./field-path.ts";
import { whyUnstructured } from "./unstructured.ts";

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/** What is wrong with a rule beside its expressions. */
export function faultsOfRule(rule: Rule, schema: Schema, at: string): readonly SchemaFault[] {
  const faults = [...faultsOfText(rule, at)];
  if (rule.messageExpression !== "" && rule.messageExpression.trim() === "") {
    faults.push(required(`${at}.messageExpression`, "messageExpression must be non-empty if specified"));
  }
  if (rule.reason !== undefined && !reasons.includes(rule.reason)) {
    faults.push(notSupported(`${at}.reason`, rule.reason, reasons));
  }
  if (rule.fieldPath === "") return faults;
  const say = (why: string) => faults.push(invalid(`${at}.fieldPath`, rule.fieldPath, why));
  if (rule.fieldPath.trim() === "") say("must be non-empty if specified");
  if (hasLineBreak(rule.fieldPath)) say("must not contain line breaks");
  const isFollowed = whyUnstructured(schema) === undefined;
  if (isFollowed && "fault" in followPath(rule.fieldPath, schema, "brackets")) say("must be a valid path");
  return faults;
}

/** The first thing that is wrong with a rule's text or its message. */
function faultsOfText({ rule, message }: Rule, at: string): readonly SchemaFault[] {
  if (rule.trim() === "") return [required(`${at}.rule`, "rule is not specified")];
  const told = message.trim();
  if (message !== "" && told === "")
    return [invalid(`${at}.message`, message, "must be non-empty if specified")];
  if (hasLineBreak(told)) return [invalid(`${at}.message`, message, "must not contain line breaks")];
  if (!hasLineBreak(rule.trim()) || told !== "") return [];
  return [required(`${at}.message`, "message must be specified if rule contains line breaks")];
}

function hasLineBreak(text: string): boolean {
  return /[\n\r]/.test(text);
}
