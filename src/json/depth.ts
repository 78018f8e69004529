import { isArray, isObject, type Json } from "./json.ts";
import type { Path } from "./path.ts";

/** Where a value first has more lists and objects in each other than so many; undefined where it has not. No recursion. */
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

/** A list or an object that is being walked, and the step that was taken last. */
interface Level {
  readonly children: Iterator<readonly [string | number, Json]>;
  step: string | number;
}

function childrenOf(value: Json): Level["children"] | undefined {
  if (isArray(value)) return value.entries();
  return isObject(value) ? Object.entries(value).values() : undefined;
}

/** The next value on the walk; levels that are done are left. */
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
