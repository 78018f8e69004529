import { type Cause, type Circumstances, equal, get, type Json, type JsonObject, own } from "antechamber";
import { wrongType } from "./fault.ts";
import { type GoType, struct, typeFaults, writeGo } from "./go-type.ts";
import { claim, podTemplate } from "./pod-types.ts";

/** The gate of OpenKruise that leaves templates of pods as they are written. */
export const templateGate = {
  TemplateNoDefaults: {
    default: false,
    meaning: "templates of pods get no defaults",
  },
};

/**
 * Whether the template of an object gets defaults: the object is new, or this write changes its template. Otherwise the
 * defaults of a later release would replace running pods at the next change of a label.
 */
export function isTemplateFilled(
  object: JsonObject,
  { operation, oldObject, gates }: Circumstances,
): boolean {
  if (gates.TemplateNoDefaults === true) return false;
  const [before, after] = [get(oldObject, "spec", "template"), get(object, "spec", "template")];
  return operation === "CREATE" || !isSame(before ?? null, after ?? null);
}

/** Whether two templates say the same; clients that use Go's types add empty values and leave others out. */
function isSame(before: Json, after: Json): boolean {
  return equal(before, after) || writeGo(podTemplate, before) === writeGo(podTemplate, after);
}

/**
 * Values of a wrong type that the schema lets pass, in templates and as numbers beyond 32 bits: OpenKruise cannot read such an
 * object.
 */
export function wrongTypeFaults(spec: JsonObject): readonly Cause[] {
  return Object.entries(openFields).flatMap(([field, type]) =>
    typeFaults(type, own(spec, field), ["spec", field]).flatMap(({ path, expected }) =>
      wrongType(path, expected),
    ),
  );
}

const openFields: Readonly<Record<string, GoType>> = {
  template: podTemplate,
  volumeClaimTemplates: { list: claim },
  parallelism: "intOrString",
  reserveOrdinals: { list: "intOrString" },
  scaleStrategy: struct({ maxUnavailable: "intOrString" }),
  updateStrategy: struct({ rollingUpdate: struct({ maxUnavailable: "intOrString" }) }),
};
