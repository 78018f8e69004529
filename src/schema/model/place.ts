import type { Path } from "../../json/path.ts";

/** A place in an object: how it prints, and its steps. */
export interface Place {
  /** Empty at the root, which prints as `<nil>`. */
  readonly text: string;
  readonly path: Path;
}

export const root: Place = { text: "", path: [] };

/** The place of a field of an object. */
export function child({ text, path }: Place, key: string): Place {
  return { text: text === "" ? key : `${text}.${key}`, path: [...path, key] };
}

/** The place of an entry of a map: `spec.limits[cpu]`. */
export function entry({ text, path }: Place, key: string): Place {
  return { text: `${text}[${key}]`, path: [...path, key] };
}

/** The place of an item of a list. */
export function item({ text, path }: Place, index: number): Place {
  return { text: `${text}[${index}]`, path: [...path, index] };
}
