import { below, fits, type Shape } from "../conversion/shape.ts";
import { isArray, isObject, type Json, type JsonObject, own } from "../json/json.ts";

/** Objects of two versions: what was asked, what the upstream shows of it, and what it makes of that on the way back. */
interface Trip {
  readonly asked: JsonObject;
  readonly shown: JsonObject;
  readonly back: JsonObject;
}

/** A field that both versions have, and the upstream forgets; its path leads through lists: `spec.sidecars[].restartPolicy`. */
type OnForgotten = (path: string) => void;

/**
 * What the upstream shows, with the fields that both versions have in the same place with the same type, and that it forgets:
 * what it shows elsewhere instead would come back.
 */
export function withForgotten(
  { asked, shown, back }: Trip,
  from: Shape,
  to: Shape,
  onForgotten: OnForgotten = () => {},
): JsonObject {
  // Labels and annotations are no fields of a version.
  const { metadata: _, ...fields } = asked;
  return withFields(fields, shown, back, from, to, { onForgotten, path: "" });
}

interface Place {
  readonly onForgotten: OnForgotten;
  readonly path: string;
}

function withFields(
  asked: JsonObject,
  shown: JsonObject,
  back: Json | undefined,
  from: Shape,
  to: Shape,
  { onForgotten, path }: Place,
): JsonObject {
  let result = shown;
  for (const [name, value] of Object.entries(asked)) {
    const [source, target] = [below(from, name), below(to, name)];
    if (source === undefined || target === undefined || source.takes !== target.takes) continue;
    const at = path === "" ? name : `${path}.${name}`;
    const [here, returned] = [own(shown, name), own(back, name)];
    if (here === undefined) {
      if (value === null || returned !== undefined || !fits(value, target)) continue;
      onForgotten(at);
      result = { ...result, [name]: value };
      continue;
    }
    const whole = withParts(value, here, returned, source, target, { onForgotten, path: at });
    if (whole !== here) result = { ...result, [name]: whole };
  }
  return result;
}

function withParts(
  asked: Json,
  shown: Json,
  back: Json | undefined,
  from: Shape,
  to: Shape,
  { onForgotten, path }: Place,
): Json {
  if (isObject(asked) && isObject(shown))
    return withFields(asked, shown, back, from, to, { onForgotten, path });
  const [source, target] = [from.items, to.items];
  if (!isArray(asked) || !isArray(shown) || source === undefined || target === undefined) return shown;
  // Which item is which is known only where none is hidden.
  if (asked.length !== shown.length) return shown;
  const inside = { onForgotten, path: `${path}[]` };
  const items = shown.map((item, at) =>
    withParts(asked[at] ?? null, item, isArray(back) ? back[at] : undefined, source, target, inside),
  );
  return items.some((item, at) => item !== shown[at]) ? items : shown;
}
