import { isArray, type Json, own } from "./json.ts";

/** The keys of objects and indexes of lists that lead from the root to a value. Never a pattern. */
export type Path = readonly (string | number)[];

/** A path as the API server prints it: `spec.lights[0].name`, `metadata.annotations[a/b]`. */
export function fieldOf(path: Path): string {
  return path.reduce<string>(
    (field, step) => (typeof step === "number" ? `${field}[${step}]` : fieldBelow(field, step)),
    "",
  );
}

/** The steps of a printed path, `properties[spec].required[0]`, all of them text: which are indexes depends on the value. */
export function stepsOfField(field: string): readonly string[] {
  return [...field.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)].map(([, inside, name]) => inside ?? name ?? "");
}

/** A step of a path as a token of a JSON pointer. */
export function tokenOf(step: string | number): string | number {
  if (typeof step === "number" || !/[~/]/.test(step)) return step;
  return step.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** The value at a path; undefined where there is none. */
export function valueAt(value: Json | undefined, path: Path): Json | undefined {
  return path.reduce<Json | undefined>(
    (here, step) => (typeof step === "number" ? (isArray(here) ? here[step] : undefined) : own(here, step)),
    value,
  );
}

/** The place of a field below another place, as the API server prints fields. */
export function fieldBelow(text: string, name: string): string {
  if (!/^[A-Za-z_$][\w$-]*$/.test(name)) return `${text}[${name}]`;
  return text === "" ? name : `${text}.${name}`;
}
