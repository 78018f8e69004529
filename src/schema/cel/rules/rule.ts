import { trimSpace } from "../../../go/text.ts";
import { followPath } from "../../model/field-path.ts";
import type { Rule, Schema } from "../../model/schema.ts";
import { compile, type Program, type Scope } from "./program.ts";

/** A rule of a schema that is ready to run. */
export interface CompiledRule {
  readonly text: string;
  readonly message: string;
  readonly reason: string;
  readonly optionalOldSelf: boolean;
  readonly program: Program;
  readonly messageProgram: Program | undefined;
  /** The field of its faults, from the rule's own place. */
  readonly fieldPath: { readonly text: string; readonly steps: readonly string[] } | undefined;
}

/** A rule after compilation, or its fault, and the fault of its message expression. */
export interface Compilation {
  readonly rule?: CompiledRule;
  readonly fault?: string;
  readonly messageFault?: string;
}

/** Compiles a rule and its message expression (apiextensions-apiserver, schema/cel/compilation.go). */
export function compileRule(rule: Rule, schema: Schema, scope: Omit<Scope, "oldSelf">): Compilation {
  const text = trimSpace(rule.rule);
  if (text === "") return {};
  const optionalOldSelf = rule.optionalOldSelf === true;
  const seen = { ...scope, oldSelf: optionalOldSelf ? ("optional" as const) : ("plain" as const) };
  const program = compile(rule.rule, seen);
  if ("issues" in program) return { fault: `compilation failed: ${program.issues}` };
  if ("fault" in program) return { fault: `program instantiation failed: ${program.fault}` };
  if (program.type.kind !== "bool") return { fault: "cel expression must evaluate to a bool" };
  const message =
    rule.messageExpression === "" ? {} : messageProgramOf(compile(rule.messageExpression, seen));
  const compiled: CompiledRule = {
    text,
    message: trimSpace(rule.message),
    reason: rule.reason ?? "",
    optionalOldSelf,
    program,
    messageProgram: message.program,
    fieldPath: fieldPathOf(rule.fieldPath, schema),
  };
  return { rule: compiled, ...(message.fault === undefined ? {} : { messageFault: message.fault }) };
}

function messageProgramOf(found: ReturnType<typeof compile>): {
  readonly program?: Program;
  readonly fault?: string;
} {
  if ("issues" in found) return { fault: `messageExpression compilation failed: ${found.issues}` };
  if ("fault" in found) return { fault: `messageExpression instantiation failed: ${found.fault}` };
  if (found.type.kind !== "string") return { fault: "messageExpression must evaluate to a string" };
  return { program: found };
}

function fieldPathOf(path: string, schema: Schema): CompiledRule["fieldPath"] {
  const found = path === "" ? undefined : followPath(path, schema, "brackets");
  return found === undefined || "fault" in found ? undefined : found;
}
