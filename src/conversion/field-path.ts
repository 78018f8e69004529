import type { FieldPath } from "./field-types.ts";

// A path may lead through the first item of a list: `spec.rules[0].size`. Its steps are then `spec`, `rules`, `[0]`, `size`.

/** The step to the first item of a list. */
export const firstItem = "[0]";

/** The steps of a path: names, and `[0]` for the first item of a list. */
export function toKeys(path: FieldPath): readonly string[] {
  if (typeof path !== "string") return path;
  return path.includes(firstItem) ? path.replaceAll(firstItem, `.${firstItem}`).split(".") : path.split(".");
}

/** The steps of a path as far as they lead through objects alone: to the list, where it leads to or through a first item. */
export function toList(keys: readonly string[]): readonly string[] {
  const at = keys.indexOf(firstItem);
  return at < 0 ? keys : keys.slice(0, at);
}

/** The name of a field, which leads through lists: `spec.rules.size`. */
export function nameOfPath(path: FieldPath): string {
  return toKeys(path)
    .filter((key) => key !== firstItem)
    .join(".");
}

/** Whether a path leads to the first item of a list, or through it. */
export function hasFirstItem(path: FieldPath | undefined): boolean {
  return path !== undefined && toKeys(path).includes(firstItem);
}

/** The fields at paths by the names that lead to them, but labels and annotations, which are not parts of an object's content by name. */
export function fieldsAt(paths: Readonly<Record<string, FieldPath>>): readonly string[] {
  return Object.values(paths).flatMap((path) => (typeof path === "string" ? [nameOfPath(path)] : []));
}
