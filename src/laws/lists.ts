import fc from "fast-check";
import { image } from "../conversion/version-chain.ts";
import type { JsonObject } from "../json/json.ts";
import { contentOf } from "./bare.ts";
import { type Edit, edited, editsIn } from "./edits.ts";
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
import { lostBetween, lostIn } from "./untouched.ts";

/** Law 3, for lists of objects without keys. */
export const lists: Law = {
  name: "Lists",
  statement:
    "An item of a list without keys keeps everything wherever it stands, as long as it is unchanged and unlike others; a changed one that is recognisably the same keeps what was not touched; a new one holds what was written, and a deleted one is gone.",
  needs: "a list of objects without keys",
  claims: (setting) =>
    setting.spokes.flatMap((spoke) => [...atTheHub(setting, spoke), ...atTheSpoke(setting, spoke)]),
};

interface Case {
  readonly history: History;
  readonly edits: readonly Edit[];
}

function casesOf(setting: Setting, version: number): fc.Arbitrary<Case> | undefined {
  const edit = setting.listEdits[version];
  return (
    edit &&
    fc.record({ history: historiesOf(setting), edits: fc.array(edit, { minLength: 1, maxLength: 2 }) })
  );
}

/** Items of the hub, after a client changed the list at a spoke. */
function atTheHub(setting: Setting, spoke: number): readonly Claim[] {
  const { hub, kind } = setting;
  const cases = casesOf(setting, spoke);
  if (cases === undefined) return [];
  const says = `items of the hub keep what a write at ${versionAt(setting, spoke).name} did not touch`;
  return [
    claim(says, wayOf(setting, hub, spoke, hub), cases, ({ history, edits }) => {
      const stored = storedBy(setting, history);
      const view = trip(setting, stored, hub, spoke);
      const written = kept(setting, readAt(setting, edited(view, edits), spoke), view, spoke);
      const content = (object: JsonObject) => contentOf(object, kind.chain.mapped);
      const back = (object: JsonObject) => image(content(object), kind.chain, spoke, hub);
      const merge = {
        ours: content(stored),
        base: back(view),
        theirs: back(written),
        result: content(trip(setting, written, spoke, hub)),
      };
      const steps = () => stepsWith(setting, history, spoke, view, edits);
      return finding(stored, steps, lostIn(setting, merge, hub, spoke, { before: view, after: written }));
    }),
  ];
}

/** Items of a spoke, after a client changed the list at the hub. */
function atTheSpoke(setting: Setting, spoke: number): readonly Claim[] {
  const { hub } = setting;
  const cases = casesOf(setting, hub);
  if (cases === undefined) return [];
  const says = `items of ${versionAt(setting, spoke).name} keep what a write at the hub did not touch`;
  return [
    claim(says, wayOf(setting, spoke, hub, spoke), cases, ({ history, edits }) => {
      const stored = storedBy(setting, history);
      const written = kept(setting, readAt(setting, edited(stored, edits), hub), stored);
      const steps = () => stepsWith(setting, history, hub, stored, edits);
      return finding(stored, steps, lostBetween(setting, stored, written, spoke));
    }),
  ];
}

function stepsWith(
  setting: Setting,
  history: History,
  version: number,
  object: JsonObject,
  edits: readonly Edit[],
): readonly string[] {
  const { name } = versionAt(setting, version);
  return [...stepsOf(setting, history), "then", ...editsIn(object, edits).map((each) => `${name}: ${each}`)];
}
