import fc from "fast-check";
import { resourceShapeOf } from "../conversion/shape.ts";
import { image, type VersionChain, versionChainOf } from "../conversion/version-chain.ts";
import { equal } from "../json/equal.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../json/json.ts";
import { valueAt } from "../json/path.ts";
import { type Difference, differencesOf } from "../judge/differences.ts";
import type { Kind, Version } from "../kind/kind.ts";
import { defaultedBy } from "../kind/prepare-version.ts";
import { compileVersion } from "../schema/crd/compile.ts";
import { faultsAt } from "./admitted.ts";
import { bareOf, contentOf } from "./bare.ts";
import { type Edit, edited, editsIn } from "./edits.ts";
import { type Claim, claim, type Finding, finding, type Law } from "./law.ts";
import { withoutEmpty } from "./places.ts";
import { created, type Stored, store, taken } from "./server.ts";
import { readAt, type Setting, trip, versionAt } from "./setting.ts";

/** Law 3 while a release is replaced that gives a version a field, and then its CRD. */
export const releases: Law = {
  name: "Releases",
  statement:
    "While a version gains a field, a write that does not touch it loses nothing, whichever of the two releases answers and whichever CRD is in force; afterwards the version shows the field.",
  needs: "an optional field of a version that is not the newest",
  claims: (setting) =>
    setting.spokes.flatMap((spoke) => {
      const fields = fieldsOf(setting, spoke);
      return fields.length === 0 ? [] : [claimOf(setting, spoke, fields)];
    }),
};

/** A field that the newer release has in a version: a part of the object, and its name. */
type Gained = readonly [part: string, name: string];

/** The fields of spec and status that a release could have added to a version: those that others do not need. */
function fieldsOf({ kind }: Setting, spoke: number): readonly Gained[] {
  const entry = kind.versions[spoke]?.entry ?? {};
  return ["spec", "status"].flatMap((part) => {
    const schema = get(entry, "schema", "openAPIV3Schema", "properties", part);
    const [properties, required] = [get(schema, "properties"), get(schema, "required")];
    const names = isObject(properties) ? Object.keys(properties) : [];
    return names
      .filter((name) => name !== "conversionData" && !(isArray(required) && required.includes(name)))
      .map((name): Gained => [part, name]);
  });
}

/** The API server while the CRD lacks a field, and afterwards. */
type Phases = readonly [before: Phase, after: Phase];

/** The phases of each field, as they are needed, since each takes a compiled schema: as many as fit into memory. */
function phasesOf(setting: Setting, spoke: number): (gained: Gained) => Phases | undefined {
  const { kind } = setting;
  const length = JSON.stringify(kind.versions[spoke]?.entry ?? {}).length;
  const most = Math.max(1, Math.floor(mostText / length));
  const known = new Map<string, Phases | undefined>();
  return (gained) => {
    const field = gained.join(".");
    if (known.has(field)) return known.get(field);
    const older = withoutField(kind, spoke, gained);
    const made: Phases | undefined = older && [
      phaseOf(setting, older, "older"),
      phaseOf(setting, older, "newer"),
    ];
    if (known.size >= most) known.clear();
    known.set(field, made);
    return made;
  };
}

/** The length of all schemas, as text, of which compiled ones are kept. */
const mostText = 1_000_000;

/** The kind with a version that lacks a field; undefined if its schema is invalid without it. */
function withoutField(kind: Kind, spoke: number, [part, name]: Gained): Kind | undefined {
  const newer = kind.versions[spoke] ?? kind.hub;
  const at = ["schema", "openAPIV3Schema", "properties", part, "properties"];
  const entry = changed(newer.entry, at, (properties) =>
    isObject(properties) ? set(properties, name, undefined) : properties,
  ) as JsonObject;
  const compiled = compileVersion(entry);
  if ("faults" in compiled) return undefined;
  const { schema } = compiled;
  const version: Version = {
    ...newer,
    entry,
    schema,
    shape: resourceShapeOf(schema.model),
    defaulted: defaultedBy(schema),
  };
  const versions = kind.versions.with(spoke, version);
  return { ...kind, versions, chain: versionChainOf(versions) };
}

function changed(
  here: Json | undefined,
  [step, ...rest]: readonly string[],
  update: (value: Json | undefined) => Json | undefined,
): Json | undefined {
  if (step === undefined) return update(here);
  return isObject(here) ? set(here, step, changed(here[step], rest, update)) : here;
}

type Release = "older" | "newer";

/** A write, with the releases that convert the object for the client's read and for its write. */
interface Write {
  readonly edits: readonly Edit[] | undefined;
  readonly read: Release;
  readonly written: Release;
  readonly manner: "with carriers" | "without carriers";
}

interface Rollout {
  readonly gained: Gained;
  readonly object: JsonObject;
  /** Writes while the older CRD is in force, with both releases answering. */
  readonly before: readonly Write[];
  /** Writes once the newer one is, with the newer release alone. */
  readonly after: readonly Write[];
}

function claimOf(setting: Setting, spoke: number, fields: readonly Gained[]): Claim {
  const { hub } = setting;
  const either = fc.constantFrom<Release[]>("older", "newer");
  const write = fc.record<Write>({
    edits: fc.option(setting.edits[hub] ?? fc.constant([]), { nil: undefined, freq: 2 }),
    read: either,
    written: either,
    manner: fc.constantFrom<Write["manner"][]>("with carriers", "without carriers"),
  });
  const cases = fc.record<Rollout>({
    gained: fc.constantFrom(...fields),
    object: setting.objects[hub]?.valid ?? fc.constant({}),
    before: fc.array(write, { minLength: 1, maxLength: 3 }),
    after: fc.array(write, { maxLength: 2 }),
  });
  const { name } = versionAt(setting, spoke);
  const phases = phasesOf(setting, spoke);
  return claim(`${name} gains a field`, name, cases, (rollout) => {
    // A field that the schema cannot do without is none that a release could have added.
    const these = phases(rollout.gained);
    return these && played(setting, spoke, rollout, these);
  });
}

/** One API server, with the CRD that is in force, and the chain by which each release converts while it is. */
interface Phase {
  readonly crd: Release;
  readonly server: Setting;
  readonly chains: Readonly<Record<Release, VersionChain>>;
}

function phaseOf(setting: Setting, older: Kind, crd: Release): Phase {
  const { kind } = setting;
  const inForce = crd === "older" ? older : kind;
  // Both releases see the CRD in force.
  const chainOf = ({ versions }: Kind) =>
    versionChainOf(
      versions.map((each, at) => ({ ...each, inForce: inForce.versions[at]?.shape ?? each.shape })),
    );
  return {
    crd,
    server: { ...setting, kind: inForce },
    chains: { older: chainOf(older), newer: chainOf(kind) },
  };
}

function played(setting: Setting, spoke: number, rollout: Rollout, [first, second]: Phases): Finding {
  const { hub } = setting;
  const { gained, object, before, after } = rollout;
  const log: (() => string)[] = [
    () => `${versionAt(setting, spoke).name} gains ${gained.join(".")}`,
    () => "create at the hub",
  ];
  const steps = () => log.map((said) => said());
  let stored = store(setting, undefined, created(setting, object, hub, "8a1b7c1e-0000"), hub);
  const turns = [
    ...before.map((write) => [first, write] as const),
    ...after.map((write) => [second, { ...write, read: "newer", written: "newer" } as Write] as const),
  ];
  for (const [phase, write] of turns) {
    const [next, said, isDefault] = afterWrite(phase, spoke, stored, write);
    log.push(said);
    if (write.edits === undefined) {
      // What is empty may go with a default that one version alone has.
      const [then, now] = [stored, next].map(
        (each): Json => withoutEmpty(contentOf(setting.kind.hub.defaulted(each.object))),
      );
      const lost = finding(
        object,
        steps,
        differencesOf(then, now).find((each) => !isDefault(each)),
      );
      if (lost !== undefined) return lost;
    }
    stored = next;
  }
  const view = viewOf(second, spoke, stored, "newer");
  const shown = image(contentOf(setting.kind.hub.defaulted(stored.object)), second.chains.newer, hub, spoke);
  // A write at the spoke stores its defaults there, which a reader cannot tell from a field that it left out.
  const { defaulted } = versionAt(setting, spoke);
  const [expected, actual] = [shown, view].map((each) => get(defaulted(each), ...gained));
  const filled = get(defaulted(changed(view, gained, () => undefined) as JsonObject), ...gained);
  const isDefault = expected === undefined && equal(actual, filled);
  return isDefault || equal(expected, actual)
    ? undefined
    : {
        object,
        steps: [...steps(), "read with the newer CRD"],
        field: gained.join("."),
        expected,
        actual,
      };
}

function viewOf({ server, chains }: Phase, spoke: number, { object }: Stored, release: Release): JsonObject {
  const { hub, kind } = server;
  const here = kind.hub.defaulted(readAt(server, object, hub));
  return readAt(
    server,
    trip({ ...server, kind: { ...kind, chain: chains[release] } }, here, hub, spoke),
    spoke,
  );
}

/**
 * The object after a write, what to say of it, and which differences are defaults that it stores: a write of some fields at the hub, or
 * of a label alone at the spoke.
 */
function afterWrite(
  phase: Phase,
  spoke: number,
  stored: Stored,
  write: Write,
): readonly [Stored, () => string, (difference: Difference) => boolean] {
  const { server, chains, crd } = phase;
  const { hub, kind } = server;
  if (write.edits !== undefined) {
    const { edits } = write;
    const before = kind.hub.defaulted(readAt(server, stored.object, hub));
    const accepted = taken(server, before, edited(before, edits), hub, "main");
    const said = () => `at the hub: ${editsIn(before, edits).join(", ")}`;
    if (faultsAt(kind.hub, accepted).length > 0)
      return [stored, () => `${said()}, which the server rejects`, () => false];
    return [store(server, stored, accepted, hub), said, () => false];
  }
  const view = viewOf(phase, spoke, stored, write.read);
  const isBare = write.manner === "without carriers" && kind.hub.carriesStatus;
  const accepted = taken(server, view, labelled(isBare ? bareOf(view) : view), spoke, "main");
  const convert = { ...server, kind: { ...kind, chain: chains[write.written] } };
  const said = () =>
    `with the ${crd} CRD, label the object ${write.manner}: read from the ${write.read} release, written through the ${write.written} one`;
  const imageAtHub = (each: JsonObject) => image(contentOf(each), convert.kind.chain, spoke, hub);
  const isDefault = defaultsAmong(imageAtHub(view), imageAtHub(versionAt(server, spoke).defaulted(view)));
  return [store(convert, stored, accepted, spoke), said, isDefault];
}

/** Which differences are a default of the writer's version, which every write there stores though its client did not write it. */
function defaultsAmong(without: JsonObject, filled: JsonObject): (difference: Difference) => boolean {
  return ({ path = [], actual }) => {
    const [before, after] = [without, filled].map((each) => valueAt(withoutEmpty(each), path));
    return actual !== undefined && equal(after, actual) && !equal(before, actual);
  };
}

/** The object with a label that it did not have. */
function labelled(object: JsonObject): JsonObject {
  const metadata = isObject(object.metadata) ? object.metadata : {};
  const labels = isObject(metadata.labels) ? metadata.labels : {};
  const name = `label-${Object.keys(labels).length}`;
  return set(object, "metadata", { ...metadata, labels: { ...labels, [name]: "a" } });
}
