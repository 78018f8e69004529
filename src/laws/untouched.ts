import fc from "fast-check";
import { detach } from "../conversion/carriers.ts";
import { image } from "../conversion/version-chain.ts";
import { type JsonObject, set } from "../json/json.ts";
import type { Difference } from "../judge/differences.ts";
import { type Merge, trespassesOf } from "../judge/trespasses.ts";
import { faultsAt } from "./admitted.ts";
import { contentOf } from "./bare.ts";
import { hasIllList, losesItems } from "./contradiction.ts";
import { type Edit, edited, editsIn } from "./edits.ts";
import { rulesOf } from "./groups.ts";
import { type Claim, claim, finding, type Law } from "./law.ts";
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

/** Law 3. */
export const untouched: Law = {
  name: "Untouched",
  statement:
    "What a client did not touch stays, unless its lens maps it together with what the client wrote; an item that it deleted stays deleted, and a renamed item never inherits another item's fields.",
  claims: (setting) =>
    setting.spokes.flatMap((spoke) => [
      hubSurvives(setting, spoke),
      hubIsWhole(setting, spoke),
      spokeSurvives(setting, spoke),
      ...setting.spokes
        .filter((other) => other !== spoke)
        .map((other) => othersSurvive(setting, spoke, other)),
    ]),
};

interface Case {
  readonly history: History;
  readonly edits: readonly Edit[];
}

function casesOf(setting: Setting, version: number): fc.Arbitrary<Case> {
  const edits = setting.edits[version] as fc.Arbitrary<readonly Edit[]>;
  return fc.record({ history: historiesOf(setting), edits });
}

function hubSurvives(setting: Setting, spoke: number): Claim {
  const { hub, kind } = setting;
  const says = `the hub keeps what a write at ${versionAt(setting, spoke).name} did not touch`;
  return claim(says, wayOf(setting, hub, spoke, hub), casesOf(setting, spoke), ({ history, edits }) => {
    const stored = storedBy(setting, history);
    const view = trip(setting, stored, hub, spoke);
    const written = kept(setting, readAt(setting, edited(view, edits), spoke), view, spoke);
    const after = trip(setting, written, spoke, hub);
    const content = (object: JsonObject) => contentOf(object, kind.chain.mapped);
    const back = (object: JsonObject) => image(content(object), kind.chain, spoke, hub);
    const merge = { ours: content(stored), base: back(view), theirs: back(written), result: content(after) };
    return finding(
      stored,
      () => describeSteps(setting, history, spoke, view, edits),
      lostIn(setting, merge, hub, spoke, { before: view, after: written }),
    );
  });
}

/**
 * What a client of a spoke removes takes along what only the hub has in it, where the rest would lack what the hub requires: the API
 * server would refuse the write, though its client can see nothing of why.
 */
function hubIsWhole(setting: Setting, spoke: number): Claim {
  const { hub, kind } = setting;
  const says = `a write at ${versionAt(setting, spoke).name} leaves no part of the hub without what it requires`;
  const lacks = (object: JsonObject) =>
    faultsAt(versionAt(setting, hub), object).filter(({ type }) => type === "FieldValueRequired");
  return claim(says, wayOf(setting, spoke, hub), casesOf(setting, spoke), ({ history, edits }) => {
    const stored = storedBy(setting, history);
    if (lacks(stored).length > 0) return undefined;
    const view = trip(setting, stored, hub, spoke);
    const written = kept(setting, readAt(setting, edited(view, edits), spoke), view, spoke);
    const after = trip(setting, written, spoke, hub);
    const [lack] = lacks(after);
    if (lack === undefined) return undefined;
    const said = set(contentOf(written, kind.chain.mapped), "status", detach(written).object.status);
    const alone = image(said, kind.chain, spoke, hub);
    const { apiVersion = "", kind: name = "", metadata = {} } = after;
    if (lacks({ apiVersion, kind: name, ...alone, metadata }).length > 0) return undefined;
    const { field = "", message = "" } = lack;
    const difference = { field, expected: "what the hub requires", actual: message };
    return finding(stored, () => describeSteps(setting, history, spoke, view, edits), difference);
  });
}

/** An object at the version at which it was written, before and after. */
interface Written {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** The first field of a version that a write at another one may not have changed, given the writer's object. */
export function lostIn(
  setting: Setting,
  merge: Merge,
  at: number,
  writer: number,
  { before, after }: Written,
): Difference | undefined {
  const sides = [merge.ours, merge.base, merge.theirs, merge.result];
  // Of a list with items without keys, or with equal ones, which no server admits, nothing says which item is which.
  if (sides.some((side) => hasIllList(setting, side as JsonObject, at))) return undefined;
  const { chain } = setting.kind;
  const wrote = { before: contentOf(before, chain.mapped), after: contentOf(after, chain.mapped) };
  const defaulted = image(versionAt(setting, writer).defaulted(wrote.before), chain, writer, at);
  const hasMerged = losesItems(wrote.before, merge.base) || losesItems(wrote.after, merge.theirs);
  return trespassesOf(merge, { ...rulesOf(setting.kind, at, writer), defaulted, wrote, hasMerged })[0];
}

function spokeSurvives(setting: Setting, spoke: number): Claim {
  const { hub } = setting;
  const says = `${versionAt(setting, spoke).name} keeps what a write at the hub did not touch`;
  return claim(says, wayOf(setting, spoke, hub, spoke), casesOf(setting, hub), ({ history, edits }) => {
    const stored = storedBy(setting, history);
    const written = kept(setting, readAt(setting, edited(stored, edits), hub), stored);
    return finding(
      stored,
      () => describeSteps(setting, history, hub, stored, edits),
      lostBetween(setting, stored, written, spoke),
    );
  });
}

function othersSurvive(setting: Setting, spoke: number, other: number): Claim {
  const { hub } = setting;
  const names = [other, spoke].map((each) => versionAt(setting, each).name);
  const says = `${names[0]} keeps what a write at ${names[1]} did not touch`;
  return claim(
    says,
    wayOf(setting, other, hub, spoke, hub, other),
    casesOf(setting, spoke),
    ({ history, edits }) => {
      const stored = storedBy(setting, history);
      const view = trip(setting, stored, hub, spoke);
      const written = kept(setting, readAt(setting, edited(view, edits), spoke), view, spoke);
      const after = trip(setting, written, spoke, hub);
      return finding(
        stored,
        () => describeSteps(setting, history, spoke, view, edits),
        lostBetween(setting, stored, after, other),
      );
    },
  );
}

/**
 * A field that a spoke lost between two states of the hub object although its lens shows the same. An item that is created
 * again at the hub with the same content may get back the spoke's fields, since its leaves stay with the object.
 */
export function lostBetween(setting: Setting, before: JsonObject, after: JsonObject, spoke: number) {
  const { hub, kind } = setting;
  const content = (object: JsonObject) => contentOf(object, kind.chain.mapped);
  const shown = (object: JsonObject) => image(content(object), kind.chain, hub, spoke);
  const seen = (object: JsonObject) => content(trip(setting, object, hub, spoke));
  const merge = { ours: seen(before), base: shown(before), theirs: shown(after), result: seen(after) };
  return lostIn(setting, merge, spoke, hub, { before, after });
}

function describeSteps(
  setting: Setting,
  history: History,
  version: number,
  object: JsonObject,
  edits: readonly Edit[],
): readonly string[] {
  const changes = editsIn(object, edits).map((each) => `${versionAt(setting, version).name}: ${each}`);
  return [...stepsOf(setting, history), "then", ...changes];
}
