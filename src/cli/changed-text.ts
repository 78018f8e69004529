import { isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import type { Path } from "../json/path.ts";
import type { InputText, PlacedObject } from "../offline/input.ts";

/** An object of a text, and what it becomes. */
export interface ChangedObject {
  readonly input: PlacedObject;
  readonly object: JsonObject;
}

/** The documents of a text with changed objects. */
export function valuesAfter(text: InputText, changed: readonly ChangedObject[]): readonly Json[] {
  const byDocument = Map.groupBy(changed, ({ input }) => input.document);
  return text.documents.map(({ value }, document) =>
    (byDocument.get(document) ?? []).reduce<Json>(
      (here, { input, object }) => replacedAt(here, input.path, object),
      value,
    ),
  );
}

function replacedAt(value: Json, path: Path, object: JsonObject): Json {
  const [step, ...rest] = path;
  if (step === undefined) return object;
  if (isArray(value)) return value.map((item, at) => (at === step ? replacedAt(item, rest, object) : item));
  if (!isObject(value)) return value;
  return { ...value, [step]: replacedAt(value[step] ?? null, rest, object) };
}
