import type { Shape } from "../conversion/shape.ts";
import { equal } from "../json/equal.ts";
import { isArray, isObject, type Json, type JsonObject, own } from "../json/json.ts";
import type { Printed } from "./answer.ts";
import { withoutUnsaidZeros } from "./zeros.ts";

/** An answer of which zeros were left out, and whom to ask whether they say something. */
interface Search {
  /** What the upstream was asked, without metadata. */
  readonly asked: JsonObject;
  /** The answer's content without those zeros. */
  readonly content: JsonObject;
  readonly printed: Printed;
  readonly shape: Shape;
  /** Zeros that said something in another answer: a guess, on which what is found does not depend. */
  readonly usual: ReadonlySet<string> | undefined;
  /** Whether all questions are to be noted at once, where the guess is that some zeros say something. */
  readonly isEager: boolean;
  /** What the upstream makes of content on the way back; undefined where it was not asked yet, and the question is noted. */
  readonly backOf: (content: JsonObject) => JsonObject | undefined;
}

/** The content with the zeros that say something. */
interface Found {
  readonly content: JsonObject;
  readonly needed: ReadonlySet<string>;
  /** Whether it is a guess, since answers are missing. */
  readonly isGuess: boolean;
}

/** The content of an answer with the zeros that bring more of what was asked back: each without which less of it would come back. */
export function withNeededZeros(search: Search): Found {
  const { asked, content, printed, shape, usual, isEager, backOf } = search;
  const { zeros } = printed;
  const made = (but: ReadonlySet<string>) => withoutUnsaidZeros(printed.content, asked, shape, but).content;
  const found = (needed: readonly string[], isGuess = false): Found => {
    const kept = new Set(needed);
    return { content: kept.size === 0 ? content : made(kept), needed: kept, isGuess };
  };
  const without = backOf(content);
  // Mostly all comes back, and there is nothing more to ask.
  if (without !== undefined && !bringsMore(asked, without, asked)) return found([]);
  const all = new Set(zeros);
  const withAll = backOf(made(all));
  const areKnown = without !== undefined && withAll !== undefined;
  if (areKnown && !bringsMore(asked, without, withAll)) return found([]);
  const likely = zeros.filter((zero) => usual?.has(zero));
  const areTried = zeros.length <= mostZeros && (areKnown || (isEager && likely.length > 0));
  const backs = areTried ? zeros.map((zero) => backOf(made(all.difference(new Set([zero]))))) : [];
  if (!areKnown || backs.includes(undefined)) return found(likely, true);
  const needed = zeros.filter((_, at) => at >= backs.length || bringsMore(asked, backs[at], withAll));
  return found(needed.length === 0 ? zeros : needed);
}

/** Zero values of one answer that are tried one by one; more of them are shown together. */
const mostZeros = 32;

/** Whether zero values bring back more of a source: what comes back with them is there without them too, or the source lacks it. */
function bringsMore(
  source: Json | undefined,
  without: Json | undefined,
  withThem: Json | undefined,
): boolean {
  if (source === undefined || withThem === undefined || equal(without, withThem)) return false;
  if (without === undefined) return true;
  if (isObject(source) && isObject(without) && isObject(withThem))
    return Object.keys(source).some((name) =>
      bringsMore(own(source, name), own(without, name), own(withThem, name)),
    );
  // An item may come back in another place.
  if (isArray(source) && isArray(without) && isArray(withThem))
    return withThem.some((item, at) => source.some((each) => bringsMore(each, without[at], item)));
  return equal(source, withThem);
}
