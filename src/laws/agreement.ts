import fc from "fast-check";
import type { JsonObject } from "../json/json.ts";
import { bareOf, contentOf } from "./bare.ts";
import { contradictionsOf, hasIllList } from "./contradiction.ts";
import { type Edit, edited, editsIn } from "./edits.ts";
import { type Claim, claim, type Finding, type Law } from "./law.ts";
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
  return [...hubAgrees, ...spokesAgree];
}

/** A write as the server takes it, and the hub object that is stored for it. */
interface Write {
  readonly stored: JsonObject;
  /** What the client read, and what it wrote. */
  readonly before: JsonObject;
  readonly written: JsonObject;
  readonly after: JsonObject;
  readonly steps: readonly string[];
}

function written(setting: Setting, version: number, { history, edits, manner }: Case): Write {
  const { hub } = setting;
  const stored = storedBy(setting, history);
  const before = version === hub ? stored : trip(setting, stored, hub, version);
  const base = manner === "with carriers" ? before : bareOf(before);
  const { name, defaulted } = versionAt(setting, version);
  const object = defaulted(readAt(setting, edited(base, edits), version));
  const after = version === hub ? kept(setting, object, stored) : trip(setting, object, version, hub);
  const steps = [...stepsOf(setting, history), `write at ${name} ${manner}:`, ...editsIn(base, edits)];
  return { stored, before, written: object, after, steps };
}

function disagreementAtTheHub(setting: Setting, version: number, each: Case): Finding {
  const { hub, kind } = setting;
  const write = written(setting, version, each);
  const [before, content, after] = [write.before, write.written, write.after].map((object) =>
    contentOf(object, kind.chain.labels),
  ) as [JsonObject, JsonObject, JsonObject];
  return findingOf(setting, write, { before, content, at: version, in: hub }, after);
}

function disagreementAtASpoke(setting: Setting, version: number, spoke: number, each: Case): Finding {
  const { hub, kind } = setting;
  const write = written(setting, version, each);
  const view = trip(setting, write.after, hub, spoke);
  const [before, content, shown] = [write.stored, write.after, view].map((object) =>
    contentOf(object, kind.chain.labels),
  ) as [JsonObject, JsonObject, JsonObject];
  return findingOf(setting, write, { before, content, at: hub, in: spoke }, shown);
}

function findingOf(
  setting: Setting,
  { stored, steps }: Write,
  words: Parameters<typeof contradictionsOf>[1],
  content: JsonObject,
): Finding {
  const isIll =
    [words.before, words.content].some((each) => hasIllList(setting, each, words.at)) ||
    hasIllList(setting, content, words.in);
  const [found] = isIll ? [] : contradictionsOf(setting, words, content);
  if (found === undefined) return undefined;
  return { object: stored, steps, field: found.word, expected: found.wrote, actual: found.says };
}
