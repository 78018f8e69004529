import fc from "fast-check";
import { carrierField } from "../conversion/carriers.ts";
import { equal } from "../json/equal.ts";
import { get, isObject, type JsonObject, set } from "../json/json.ts";
import { mergePatched } from "../json/merge-patch.ts";
import { type Difference, differenceOf } from "../judge/differences.ts";
import { bareOf, contentOf } from "./bare.ts";
import { type Edit, edited, editsIn } from "./edits.ts";
import { type Claim, claim, type Finding, finding, type Law } from "./law.ts";
import { created, read, type Stored, store, taken } from "./server.ts";
import { type Setting, versionAt } from "./setting.ts";

/** Law 3 for clients that write /status from copies that they read before. */
export const statusWriters: Law = {
  name: "StatusWriters",
  statement:
    "A client that writes /status from an older copy, carrier included, changes only the fields that its version shows. An object that was exported, deleted and created again gets its whole status back through /status.",
  needs: "a status subresource whose status requires no fields",
  claims: (setting) =>
    setting.kind.hub.carriesStatus
      ? setting.kind.versions
          .keys()
          .toArray()
          .flatMap((version) => [oldCopy(setting, version), restoredExport(setting, version)])
      : [],
};

/** Edits of one object by clients of several versions, of the main endpoint and of /status. */
interface Write {
  readonly version: number;
  readonly edits: readonly Edit[];
}

interface Life {
  readonly version: number;
  readonly object: JsonObject;
  readonly writes: readonly Write[];
}

function livesOf(setting: Setting): fc.Arbitrary<Life> {
  const versions = [...setting.kind.versions.keys()];
  const starts = versions.map((version) =>
    (setting.objects[version]?.valid ?? fc.constant({})).map((object) => ({ version, object })),
  );
  return fc
    .tuple(fc.oneof(...starts), fc.array(writeOf(setting), { maxLength: 2 }))
    .map(([start, writes]) => ({ ...start, writes }));
}

function writeOf(setting: Setting): fc.Arbitrary<Write> {
  return fc.oneof(
    ...setting.kind.versions
      .keys()
      .map((version) => (setting.edits[version] ?? fc.constant([])).map((edits) => ({ version, edits }))),
  );
}

/** An object, and the description of what happened to it, which only a finding needs. */
interface Lived {
  readonly stored: Stored;
  readonly steps: () => readonly string[];
}

/** The object of a life, with a status from the start. */
function lived(setting: Setting, { version, object, writes }: Life): Lived {
  const made = created(setting, object, version, "8a1b7c1e-0000");
  const first = store(setting, undefined, made, version);
  const shown = read(setting, first, version);
  const status = taken(setting, shown, withStatusOf(shown, object), version, "status");
  const stored = store(setting, first, status, version);
  const { name } = versionAt(setting, version);
  const steps = () => [`create at ${name}`, `write its status at ${name}`];
  return writes.reduce<Lived>((here, write) => written(setting, here, write), { stored, steps });
}

/** The object after a write of both endpoints. */
function written(setting: Setting, { stored, steps }: Lived, { version, edits }: Write): Lived {
  const before = read(setting, stored, version);
  const sent = edited(before, edits);
  const main = taken(setting, before, sent, version, "main");
  const between = store(setting, stored, main, version);
  const now = read(setting, between, version);
  const status = taken(setting, now, withStatusOf(now, sent), version, "status");
  const { name } = versionAt(setting, version);
  return {
    stored: store(setting, between, status, version),
    steps: () => [...steps(), ...editsIn(before, edits).map((each) => `${name}: ${each}`)],
  };
}

/** How a client sends the status that it read before: all of it, as a merge patch, or the carrier beside a fresh status. */
const manners = [
  "replaces the status by an older copy",
  "merges an older copy into the status",
  "sends an older carrier",
] as const;

/**
 * A writer of /status whose copy, with status.conversionData, is older than the object: what the version does not show
 * stays as it is at every version.
 */
function oldCopy(setting: Setting, version: number): Claim {
  const { name } = versionAt(setting, version);
  const cases = fc.record({
    life: livesOf(setting),
    later: fc.array(writeOf(setting), { minLength: 1, maxLength: 2 }),
    manner: fc.constantFrom(...manners),
  });
  const says = `an older copy of /status at ${name} changes only what ${name} shows`;
  return claim(says, name, cases, ({ life, later, manner }) => {
    const { stored, steps } = lived(setting, life);
    const copy = read(setting, stored, version);
    const { stored: fresh, steps: story } = later.reduce<Lived>(
      (here, write) => written(setting, here, write),
      { stored, steps: () => [...steps(), `a client reads at ${name}`] },
    );
    const before = read(setting, fresh, version);
    const writes = prepared(manner, before, copy);
    // Where the object holds no values of status that its version does not show, a copy may restore them, as of a backup.
    if (treesOf(writes).some((tree) => !treesOf(before).includes(tree))) return undefined;
    const sent = taken(setting, before, writes, version, "status");
    const after = store(setting, fresh, sent, version);
    const plain = taken(setting, before, withoutField(sent), version, "status");
    const expected = store(setting, fresh, plain, version);
    return finding(stored.object, () => [...story(), `it ${manner}`], differing(setting, expected, after));
  });
}

/** The parts of the carrier in status that hold values of status. */
function treesOf(object: JsonObject): readonly string[] {
  const field = get(object, "status", carrierField);
  const spokes = get(field, "spokes");
  const trees = { ...(isObject(spokes) ? spokes : {}), "": get(field, "hub") ?? null };
  return Object.entries(trees).flatMap(([name, tree]) => (get(tree, "status") === undefined ? [] : [name]));
}

function prepared(manner: (typeof manners)[number], before: JsonObject, copy: JsonObject): JsonObject {
  if (manner === "replaces the status by an older copy") return withStatusOf(before, copy);
  if (manner === "merges an older copy into the status")
    return copy.status === undefined
      ? before
      : set(before, "status", mergePatched(before.status, copy.status));
  const field = get(copy, "status", carrierField);
  const status = isObject(before.status) ? before.status : {};
  return set(before, "status", set(status, carrierField, field));
}

/** The first difference between two stored objects for the readers of any version. */
function differing(setting: Setting, expected: Stored, actual: Stored): Difference | undefined {
  if (equal(expected.object, actual.object)) return undefined;
  for (const version of setting.kind.versions.keys()) {
    const [then, now] = [expected, actual].map((each) => contentOf(read(setting, each, version)));
    const found = differenceOf(then, now, [versionAt(setting, version).name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A backup: the object is exported at a version, deleted, created from the export, and its status is restored through /status. */
function restoredExport(setting: Setting, version: number): Claim {
  const { name } = versionAt(setting, version);
  const says = `an export of ${name} restores the whole object, its status through /status`;
  return claim(says, name, livesOf(setting), (life): Finding => {
    const { stored, steps } = lived(setting, life);
    const exported = read(setting, stored, version);
    const made = created(setting, exported, version, "8a1b7c1e-0001");
    const first = store(setting, undefined, made, version);
    const before = read(setting, first, version);
    const sent = taken(setting, before, withStatusOf(before, exported), version, "status");
    const after = store(setting, first, sent, version);
    const story = () => [
      ...steps(),
      `export at ${name}, delete, create`,
      "restore the status through /status",
    ];
    // A version's own defaults, which an object gets when it is created.
    const isSame = equal(
      contentOf(read(setting, { ...stored }, version)),
      contentOf(read(setting, after, version)),
    );
    return isSame ? finding(stored.object, story, differing(setting, stored, after)) : undefined;
  });
}

function withStatusOf(object: JsonObject, other: JsonObject): JsonObject {
  return set(object, "status", other.status);
}

/** An object as a client that does not know the carrier in status writes it. */
function withoutField(object: JsonObject): JsonObject {
  return set(object, "status", bareOf(object).status);
}
