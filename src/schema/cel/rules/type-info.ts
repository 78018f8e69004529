import { internalError, panics, type SchemaFault } from "../../model/fault.ts";
import type { KubernetesVersion } from "../../model/kubernetes-version.ts";
import type { Place } from "../../model/place.ts";
import type { Schema } from "../../model/schema.ts";
import { escapeName } from "../language/identifiers.ts";
import { type Decl, declare } from "./declare.ts";

/**
 * Why rules see no declaration: the schema cannot be declared, the declaration of the parent has no element, or the API
 * server looks into a declaration that is not there.
 */
type Unknown = "undeclared" | "no element" | "panic";

/** From a schema to one below it. */
export type Step = "items" | "additionalProperties" | { readonly property: string };

/** What the API server derives for a schema from the schemas above it. */
export interface Inherited {
  /**
   * What rules here are compiled with when the CRD is created; undefined if no rules stand here or above
   * (apiextensions/validation/cel_validation.go, CELSchemaContext.TypeInfo).
   */
  readonly info: Decl | Unknown | undefined;
  /** What rules here are compiled with when they run (apiextensions-apiserver schema/cel/validation.go, validator). */
  readonly decl: Decl | undefined;
  /** Whether rules here run at all: those below a property without a declaration do not. */
  readonly isRun: boolean;
  /** The release of the API server. */
  readonly kubernetes: KubernetesVersion;
}

/** What the root of a schema begins with. */
export function rootInheritance(schema: Schema, kubernetes: KubernetesVersion): Inherited {
  const decl = declare(schema, kubernetes, true);
  const info = schema.validations.length > 0 ? (decl ?? "undeclared") : undefined;
  return { info, decl, isRun: true, kubernetes };
}

/** What a schema gets from the one above it. */
export function inheritedBy(schema: Schema, step: Step, above: Inherited): Inherited {
  const isWithin = above.info !== undefined || schema.validations.length > 0;
  const own = () => declare(schema, above.kubernetes);
  const info = isWithin ? infoBelow(above.info, own, step) : undefined;
  if (typeof step === "string") return { ...above, info, decl: above.decl?.elem };
  const escaped = escapeName(step.property);
  const decl = escaped === undefined ? own() : above.decl?.fields.get(escaped);
  return { ...above, info, decl, isRun: above.isRun && decl !== undefined };
}

function infoBelow(
  above: Decl | Unknown | undefined,
  own: () => Decl | undefined,
  step: Step,
): Decl | Unknown {
  if (above === "undeclared" || above === "panic") return above;
  if (typeof step === "string") {
    if (above === undefined) return own() ?? "undeclared";
    return above === "no element" ? "panic" : (above.elem ?? "no element");
  }
  const escaped = escapeName(step.property);
  if (escaped !== undefined && above === "no element") return "panic";
  const field = escaped === undefined || typeof above !== "object" ? undefined : above.fields.get(escaped);
  return field ?? own() ?? "undeclared";
}

/** Why rules of a node without a declaration cannot be compiled (apiextensions-apiserver schema/cel/compilation.go, Compile). */
export const noDeclaration = "failed to convert to declType for CEL validation rules";

/** What the API server reports of rules when the CRD is created, if they see no declaration. */
export function untyped(at: Place, unknown: Unknown): SchemaFault {
  switch (unknown) {
    case "undeclared":
      return internalError(
        at,
        "internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations",
      );
    case "no element":
      return internalError(at, noDeclaration);
    case "panic":
      return panics(
        at,
        "remove the items or additionalProperties that do not fit the type, or the rules above",
      );
  }
}

/** Whether two declarations say the same. */
export function isSameDecl(a: Decl | undefined, b: Decl | undefined): boolean {
  if (a === undefined || b === undefined || a === b) return a === b;
  return (
    a.kind === b.kind &&
    a.type === b.type &&
    a.most === b.most &&
    a.least === b.least &&
    a.fields.size === b.fields.size &&
    isSameDecl(a.elem, b.elem) &&
    [...a.fields].every(([name, field]) => isSameDecl(field, b.fields.get(name)))
  );
}
