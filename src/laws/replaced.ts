import fc from "fast-check";
import { isScalar } from "../conversion/leaf.ts";
import { image } from "../conversion/version-chain.ts";
import { equal } from "../json/equal.ts";
import { isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import type { Path } from "../json/path.ts";
import { type Difference, differencesOf, valueAt } from "../judge/differences.ts";
import { areParallel } from "../judge/trespasses.ts";
import { bareOf, contentOf } from "./bare.ts";
import { hasIllList } from "./contradiction.ts";
import { type Edit, edited, editsIn } from "./edits.ts";
import { rulesOf } from "./groups.ts";
import { type Claim, claim, finding, type Law } from "./law.ts";
import { isEmpty, withoutEmpty } from "./places.ts";
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

/** The first value that was replaced in between and is read again nevertheless. */
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
  const { schema } = rulesOf(kind, spoke, hub);
  const [showed, meanwhile, shows] = [before, between, after].map(shown);
  const reads = content(trip(setting, after, hub, spoke));
  // What is empty says nothing, and was not replaced.
  const isNothing = (value: Json | undefined) =>
    value === undefined || value === null || isEmpty(withoutEmpty(value));
  // In a list without keys, the view may have its own order: then a position says nothing of which item stands there.
  const isSameItem = (path: Path) =>
    path.every((step, depth) => {
      const [one, other] = [shows, reads].map((side) => valueAt(side, path.slice(0, depth), schema));
      return typeof step !== "number" || (isArray(one) && isArray(other) && areParallel(other, one));
    });
  // Nor does it where the item stood elsewhere meanwhile.
  const isMoved = (path: Path) =>
    path.some((step, depth) => {
      const [item, list] = [
        valueAt(showed, path.slice(0, depth + 1), schema),
        valueAt(meanwhile, path.slice(0, depth), schema),
      ];
      return typeof step === "number" && isArray(list) && list.some((each) => equal(each, item ?? null));
    });
  return differencesOf(showed, meanwhile, { schema }).flatMap(({ path = [], expected, actual }) => {
    const [now, read] = [shows, reads].map((side) => valueAt(side, path, schema));
    // Of a list of objects that is still there some items may be the same ones.
    const mayBeSame =
      (isArray(actual) && actual.some((item) => isObject(item))) || !isSameItem(path) || isMoved(path);
    const isSilent = (isNothing(expected) && isNothing(actual)) || isNothing(read);
    if (mayBeSame || isSilent) return [];
    return differencesOf(now, withoutUnsaid(read, valueAt(showed, path, schema)), { schema }, path);
  })[0];
}

/** A list of scalars without those that the hub never said, and so did not replace. */
function withoutUnsaid(read: Json | undefined, said: Json | undefined): Json | undefined {
  if (!isArray(read) || !isArray(said) || [...read, ...said].some((each) => !isScalar(each))) return read;
  return read.filter((each) => said.some((one) => equal(one, each)));
}
