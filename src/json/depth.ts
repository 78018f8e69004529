import { isArray, isObject, type Json } from "./json.ts";
import type { Path } from "./path.ts";

/** The first path at which a value is nested deeper than so many levels; undefined if there is none. Does not recurse. */
export function placeBeyond(value: Json, levels: number): Path | undefined {
  const open: Level[] = [];
  for (let here: Json | undefined = value; here !== undefined; here = nextOf(open)) {
    const children = childrenOf(here);
    if (children === undefined) continue;
    if (open.length === levels) return open.map(({ step }) => step);
    open.push({ children, step: "" });
  }
  return undefined;
}

/** A list or an object on the way to the current value, and the step taken last. */
interface Level {
  readonly children: Iterator<readonly [string | number, Json]>;
  step: string | number;
}

function childrenOf(value: Json): Level["children"] | undefined {
  if (isArray(value)) return value.entries();
  return isObject(value) ? Object.entries(value).values() : undefined;
}

/** The next value, after leaving all levels without one; undefined at the end. */
function nextOf(open: Level[]): Json | undefined {
  for (let level = open.at(-1); level !== undefined; level = open.at(-1)) {
    const { done, value } = level.children.next();
    if (!done) {
      level.step = value[0];
      return value[1];
    }
    open.pop();
  }
  return undefined;
}
