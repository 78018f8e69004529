import fc from "fast-check";
import { keyedItems } from "../conversion/keyed-list.ts";
import { below, type Shape } from "../conversion/shape.ts";
import { image } from "../conversion/version-chain.ts";
import { equal } from "../json/equal.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import type { Path } from "../json/path.ts";
import { type Difference, differenceOf } from "../judge/differences.ts";
import { bareOf, contentOf } from "./bare.ts";
import { hasIllList } from "./contradiction.ts";
import { type Edit, edited, editsIn } from "./edits.ts";
import { type Claim, claim, finding, type Law } from "./law.ts";
import { isEmpty } from "./places.ts";
import {
  type History,
  historiesOf,
  kept,
  readAt,
  type Setting,
  stepsOf,
  storedBy,
  trip,
  versionAt,
  wayOf,
} from "./setting.ts";

/** The other half of law 3: what a write at the hub replaced is gone for good. */
export const replaced: Law = {
  name: "Replaced",
  statement:
    "A value of a spoke that a write at the hub replaced or removed does not come back when the hub says again what it said before.",
  claims: (setting) => setting.spokes.map((spoke) => claimOf(setting, spoke)),
};

function claimOf(setting: Setting, spoke: number): Claim {
  const { hub, kind } = setting;
  const cases = fc.record<{ readonly history: History; readonly edits: readonly Edit[] }>({
    history: historiesOf(setting),
    edits: setting.edits[hub] ?? fc.constant([]),
  });
  const says = `${versionAt(setting, spoke).name} does not read what a write at the hub replaced before another one undid it`;
  return claim(says, wayOf(setting, spoke, hub, spoke), cases, ({ history, edits }) => {
    // The server sets defaults when it reads a stored object, and in every write.
    const taken = (object: JsonObject) => kind.hub.defaulted(readAt(setting, object, hub));
    const stored = taken(storedBy(setting, history));
    const view = contentOf(trip(setting, stored, hub, spoke), kind.chain.mapped);
    if (hasIllList(setting, view, spoke)) return undefined;
    const changed = kept(setting, taken(edited(stored, edits)), stored);
    const undone = kept(setting, bareOf(stored), changed);
    const steps = () => [
      ...stepsOf(setting, history),
      "then at the hub",
      ...editsIn(stored, edits),
      "and back as it was",
    ];
    return finding(stored, steps, returnedIn(setting, stored, changed, undone, spoke));
  });
}

function returnedIn(
  setting: Setting,
  before: JsonObject,
  between: JsonObject,
  after: JsonObject,
  spoke: number,
): Difference | undefined {
  const { hub, kind } = setting;
  const content = (object: JsonObject) => contentOf(object, kind.chain.mapped);
  const shown = (object: JsonObject) => image(content(object), kind.chain, hub, spoke);
  const stages = {
    showed: shown(before),
    between: shown(between),
    shows: shown(after),
    holds: content(trip(setting, after, hub, spoke)),
  };
  return returnOf(stages, versionAt(setting, spoke).shape, []);
}

/** A value of a spoke: what the lens showed, what it showed in between, what it shows in the end, and what is read then. */
interface Stages {
  readonly showed: Json | undefined;
  readonly between: Json | undefined;
  readonly shows: Json | undefined;
  readonly holds: Json | undefined;
}

/** The first value that was replaced in between and is read again nevertheless. */
function returnOf(stages: Stages, shape: Shape | undefined, path: Path): Difference | undefined {
  const { showed, between, shows, holds } = stages;
  if (equal(showed, between)) return undefined;
  const sides = [showed, between, shows, holds];
  if (shape?.keys !== undefined) return returnOfItems(stages, shape, shape.keys, path);
  if (!shape?.atomic && sides.every((each) => each === undefined || isObject(each))) {
    for (const name of new Set(sides.flatMap((each) => (isObject(each) ? Object.keys(each) : [])))) {
      const inner = inside(stages, (side) => get(side, name));
      const found = returnOf(inner, below(shape, name), [...path, name]);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  // Of a list of objects that is still there, some items may be the same ones.
  const hasItems = isArray(between) && between.length > 0 && between.some((item) => isObject(item));
  if (hasItems || [shows, holds].some((each) => each === null || (each !== undefined && isEmpty(each))))
    return undefined;
  return differenceOf(shows, holds, path);
}

function returnOfItems(
  stages: Stages,
  shape: Shape,
  keys: readonly string[],
  path: Path,
): Difference | undefined {
  const lists = [stages.showed, stages.between, stages.shows, stages.holds].map((side) =>
    keyedItems(side ?? [], keys),
  );
  if (lists.some((list) => list === undefined)) return undefined;
  for (const name of lists[0]?.keys() ?? []) {
    const [showed, between, shows, holds] = lists.map((list) => list?.get(name));
    const here = [...path, name];
    const found =
      between === undefined
        ? differenceOf(shows, holds, here)
        : returnOf({ showed, between, shows, holds }, shape.items, here);
    if (found !== undefined) return found;
  }
  return undefined;
}

function inside(stages: Stages, pick: (side: Json | undefined) => Json | undefined): Stages {
  const { showed, between, shows, holds } = stages;
  return { showed: pick(showed), between: pick(between), shows: pick(shows), holds: pick(holds) };
}
