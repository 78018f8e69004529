import { type Json, type JsonObject, own } from "../../json/json.ts";
import type { SchemaFault } from "../fault.ts";
import type { Decl, Declared } from "./declare.ts";
import { escapeJson, faultAt, invalid, type Place } from "./fault-text.ts";
import { readFieldPath } from "./field-path.ts";
import { trimSpace } from "./library/strings.ts";
import type { Node } from "./node.ts";
import { quote } from "./print.ts";
import { compile, type Program } from "./program.ts";

/** A rule of a schema, compiled. */
export interface Rule {
  readonly text: string;
  readonly message: string;
  readonly reason: string;
  readonly optionalOldSelf: boolean;
  readonly program: Program;
  readonly messageProgram: Program | undefined;
  /** Where the fault is told, from the rule's own place. */
  readonly fieldPath: { readonly field: string; readonly steps: readonly string[] } | undefined;
}

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/** What is wrong with the words of a rule, before any is compiled (apiextensions validation.go). */
export function wordFaults(rule: JsonObject, node: Node, at: Place): readonly SchemaFault[] {
  const place = (key: string): Place => ({ field: `${at.field}.${key}`, path: [...at.path, key] });
  const [text, message, expression, path] = ["rule", "message", "messageExpression", "fieldPath"].map((key) =>
    textOf(rule, key),
  );
  const faults = [messageFault(text ?? "", message ?? "", place)];
  if (expression !== "" && trimSpace(expression ?? "") === "") {
    faults.push(required(place("messageExpression"), "messageExpression must be non-empty if specified"));
  }
  const reason = own(rule, "reason");
  if (typeof reason === "string" && !reasons.includes(reason)) {
    const supported = reasons.map(quote).join(", ");
    faults.push(
      faultAt(
        place("reason"),
        "FieldValueNotSupported",
        `Unsupported value: ${quote(reason)}: supported values: ${supported}`,
      ),
    );
  }
  faults.push(...pathFaults(path ?? "", node, place("fieldPath")));
  return faults.filter((fault) => fault !== undefined);
}

function required(place: Place, detail: string): SchemaFault {
  return faultAt(place, "FieldValueRequired", `Required value: ${detail}`);
}

function refused(place: Place, value: Json, detail: string): SchemaFault {
  return faultAt(place, "FieldValueInvalid", invalid(value, detail));
}

function messageFault(text: string, message: string, place: (key: string) => Place): SchemaFault | undefined {
  const trimmed = trimSpace(message);
  if (trimSpace(text) === "") return required(place("rule"), "rule is not specified");
  if (message !== "" && trimmed === "")
    return refused(place("message"), message, "must be non-empty if specified");
  if (/[\n\r]/.test(trimmed)) return refused(place("message"), message, "must not contain line breaks");
  if (!/[\n\r]/.test(trimSpace(text)) || trimmed !== "") return undefined;
  return required(place("message"), "message must be specified if rule contains line breaks");
}

function pathFaults(path: string, node: Node, place: Place): readonly SchemaFault[] {
  if (path === "") return [];
  const faults: SchemaFault[] = [];
  if (trimSpace(path) === "") faults.push(refused(place, path, "must be non-empty if specified"));
  if (/[\n\r]/.test(path)) faults.push(refused(place, path, "must not contain line breaks"));
  if (node.isStructural && readFieldPath(path, node) === undefined)
    faults.push(refused(place, path, "must be a valid path"));
  return faults;
}

/** What compiling a rule comes to: the rule if it is one, what it may cost, and what the server says of it. */
export interface CompiledRule {
  readonly rule: Rule | undefined;
  readonly cost: number;
  readonly messageCost: number;
  readonly fault: string | undefined;
  readonly messageFault: string | undefined;
}

/** Compiles a rule and its message expression (apiextensions-apiserver schema/cel/compilation.go). */
export function compileRule(json: JsonObject, node: Node, decl: Decl, declared: Declared): CompiledRule {
  const nothing = { rule: undefined, cost: 0, messageCost: 0, messageFault: undefined };
  const optionalOldSelf = own(json, "optionalOldSelf") === true;
  const place = { decl, declared, oldSelf: optionalOldSelf ? ("optional" as const) : ("plain" as const) };
  const text = textOf(json, "rule");
  const program = compile(text, place);
  if ("issues" in program) return { ...nothing, fault: `compilation failed: ${program.issues}` };
  if ("fault" in program) return { ...nothing, fault: `program instantiation failed: ${program.fault}` };
  if (program.type.kind !== "bool") return { ...nothing, fault: "cel expression must evaluate to a bool" };
  const expression = textOf(json, "messageExpression");
  const message = expression === "" ? undefined : compile(expression, place);
  const messageFault = message === undefined ? undefined : messageProgramFault(message);
  const messageProgram = messageFault === undefined ? (message as Program | undefined) : undefined;
  const rule: Rule = {
    text: trimSpace(text),
    message: trimSpace(textOf(json, "message")),
    reason: textOf(json, "reason"),
    optionalOldSelf,
    program,
    messageProgram,
    fieldPath: readFieldPath(textOf(json, "fieldPath"), node),
  };
  return {
    rule,
    cost: program.maxCost,
    messageCost: messageProgram?.maxCost ?? 0,
    fault: undefined,
    messageFault,
  };
}

function messageProgramFault(program: ReturnType<typeof compile>): string | undefined {
  if ("issues" in program) return `messageExpression compilation failed: ${program.issues}`;
  if ("fault" in program) return `messageExpression instantiation failed: ${program.fault}`;
  return program.type.kind === "string" ? undefined : "messageExpression must evaluate to a string";
}

/** A rule as the server prints it for a bad value: its own struct, as JSON. */
export function printRule(json: JsonObject): string {
  const text = (key: string) => escapeJson(JSON.stringify(textOf(json, key)));
  const other = (key: string) => escapeJson(JSON.stringify(own(json, key) ?? null));
  return `{"Rule":${text("rule")},"Message":${text("message")},"MessageExpression":${text("messageExpression")},"Reason":${other("reason")},"FieldPath":${text("fieldPath")},"OptionalOldSelf":${other("optionalOldSelf")}}`;
}

function textOf(json: JsonObject, key: string): string {
  const value = own(json, key);
  return typeof value === "string" ? value : "";
}
