import fc from "fast-check";
import { image } from "../conversion/version-chain.ts";
import type { JsonObject } from "../json/json.ts";
import { bareOf, contentOf } from "./bare.ts";
import { addedLeaves, contradictionsOf, contradictsAlone, hasIllList } from "./contradiction.ts";
import { type Edit, edited, editsIn } from "./edits.ts";
import { type Claim, claim, type Finding, type Law } from "./law.ts";
import { fieldOfName, nameOfPath } from "./leaves.ts";
import {
  type History,
  historiesOf,
  kept,
  lifeOf,
  readAt,
  type Setting,
  stepsOf,
  trip,
  versionAt,
  wayOf,
} from "./setting.ts";

/** Law 2, for the other versions. */
export const agreement: Law = {
  name: "Agreement",
  statement:
    "After a write no other version contradicts the client: whatever the lens alone can say of what was written, every other version says too.",
  claims: (setting) =>
    setting.kind.versions
      .keys()
      .toArray()
      .flatMap((version) => claimsOf(setting, version)),
};

interface Case {
  readonly history: History;
  readonly edits: readonly Edit[];
  readonly manner: "with carriers" | "without carriers";
}

function claimsOf(setting: Setting, version: number): readonly Claim[] {
  const { hub, spokes } = setting;
  const cases = fc.record<Case>({
    // Without the annotation an object may be a part of one, as server-side apply converts them, and proves nothing.
    history: historiesOf(setting).map((history) => ({ ...history, dropped: "none" as const })),
    edits: setting.edits[version] ?? fc.constant([]),
    manner: fc.constantFrom("with carriers", "without carriers"),
  });
  const { name } = versionAt(setting, version);
  const hubAgrees =
    version === hub
      ? []
      : [
          claim(`the hub says what was written at ${name}`, wayOf(setting, version, hub), cases, (each) =>
            disagreementAtTheHub(setting, version, each),
          ),
        ];
  const spokesAgree = spokes
    .filter((spoke) => spoke !== version)
    .map((spoke) =>
      claim(
        `${versionAt(setting, spoke).name} says what was written at ${name}`,
        wayOf(setting, ...(version === hub ? [hub] : [version, hub]), spoke),
        cases,
        (each) => disagreementAtASpoke(setting, version, spoke, each),
      ),
    );
  const wordsAgree = (version === hub ? spokes : []).map((spoke) =>
    claim(
      `no field of ${versionAt(setting, spoke).name} by itself contradicts what was written at ${name}`,
      wayOf(setting, hub, spoke),
      cases,
      (each) => outdatedField(setting, spoke, each),
    ),
  );
  return [...hubAgrees, ...spokesAgree, ...wordsAgree];
}

/** A write as the server takes it, and the hub object that is stored for it. */
interface Write {
  readonly stored: JsonObject;
  /** What the client read, and what it wrote. */
  readonly before: JsonObject;
  readonly written: JsonObject;
  readonly after: JsonObject;
  /** All hub objects on the way. */
  readonly states: readonly JsonObject[];
  readonly steps: () => readonly string[];
}

function written(setting: Setting, version: number, { history, edits, manner }: Case): Write {
  const { hub } = setting;
  const life = lifeOf(setting, history);
  const { stored } = life;
  const before = version === hub ? stored : trip(setting, stored, hub, version);
  const base = manner === "with carriers" ? before : bareOf(before);
  const { name, defaulted } = versionAt(setting, version);
  const object = defaulted(readAt(setting, edited(base, edits), version));
  const accepted = kept(setting, object, before, version);
  const after = version === hub ? accepted : trip(setting, accepted, version, hub);
  const steps = () => [...stepsOf(setting, history), `write at ${name} ${manner}:`, ...editsIn(base, edits)];
  const states = [...life.states, after];
  return { stored, before, written: object, after, states, steps };
}

function disagreementAtTheHub(setting: Setting, version: number, each: Case): Finding {
  const { hub, kind } = setting;
  const write = written(setting, version, each);
  const [before, content, after] = [write.before, write.written, write.after].map((object) =>
    contentOf(object, kind.chain.mapped),
  ) as [JsonObject, JsonObject, JsonObject];
  return findingOf(setting, write, { before, content, at: version, in: hub }, after);
}

function disagreementAtASpoke(setting: Setting, version: number, spoke: number, each: Case): Finding {
  const { hub, kind } = setting;
  const write = written(setting, version, each);
  const view = trip(setting, write.after, hub, spoke);
  const [before, content, shown] = [write.stored, write.after, view].map((object) =>
    contentOf(object, kind.chain.mapped),
  ) as [JsonObject, JsonObject, JsonObject];
  return findingOf(setting, write, { before, content, at: hub, in: spoke }, shown);
}

/**
 * A field of a spoke that only it can say, and that says something else than what was written at the hub: not to the lens, which
 * ignores it beside other fields of its row, but to readers of the spoke.
 */
function outdatedField(setting: Setting, spoke: number, each: Case): Finding {
  const { hub, kind } = setting;
  const { stored, after, states, steps } = written(setting, hub, each);
  const [before, content, view] = [stored, after, trip(setting, after, hub, spoke)].map((object) =>
    contentOf(object, kind.chain.mapped),
  ) as [JsonObject, JsonObject, JsonObject];
  const words = { before, content, at: hub, in: spoke };
  const hidden = addedLeaves(setting, spoke, view, image(content, kind.chain, hub, spoke));
  const outdated = hidden.find((leaf) => contradictsAlone(setting, words, [leaf]));
  if (outdated === undefined || isUndecided(setting, states, words, view)) return undefined;
  const { path, value } = outdated;
  return {
    object: stored,
    steps: steps(),
    field: fieldOfName(nameOfPath(path)),
    expected: undefined,
    actual: value,
  };
}

function findingOf(
  setting: Setting,
  { stored, states, steps }: Write,
  words: Parameters<typeof contradictionsOf>[1],
  content: JsonObject,
): Finding {
  const [found] = contradictionsOf(setting, words, content);
  if (found === undefined || isUndecided(setting, states, words, content)) return undefined;
  return {
    object: stored,
    steps: steps(),
    field: fieldOfName(found.word),
    expected: found.wrote,
    actual: found.says,
  };
}

/** Whether a list on the way, or what the lens alone makes of one, is one that no server admits, or of which no engine can tell the items apart. */
function isUndecided(
  setting: Setting,
  states: readonly JsonObject[],
  { before, content, at, in: there }: Parameters<typeof contradictionsOf>[1],
  shown: JsonObject,
): boolean {
  const { hub, kind } = setting;
  const atHub = states.map((each) => contentOf(each, kind.chain.mapped));
  return (
    [before, content].some((each) => hasIllList(setting, each, at)) ||
    [shown, image(content, kind.chain, at, there)].some((each) => hasIllList(setting, each, there)) ||
    atHub.some((each) => hasIllList(setting, each, hub))
  );
}
