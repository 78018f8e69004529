import { parseJson, writeJson } from "../../../src/json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../../../src/json/json.ts";
import { pointerOf } from "../../support/pointer.ts";
import { isCarrier, withField, withoutCarriers } from "../content.ts";
import { type ClientAt, exported, metadataOf } from "../subject.ts";
import type { Side } from "./sides.ts";

/** One object on which one action is tried: its owner speaks the native version, the client the other. */
export interface Cell {
  readonly side: Side;
  readonly native: ClientAt;
  readonly client: ClientAt;
  /** The owner changes what only the native version can say; that is what must be kept from then on. */
  readonly changeOwn: () => Promise<void>;
  /** Runs a write that changes nothing, and complains if the server wrote something. */
  readonly still: (write: () => Promise<unknown>) => Promise<void>;
}

/** Something that a client does, in users' words, and what the owner must read afterwards. */
export interface Action {
  readonly name: string;
  readonly act: (cell: Cell) => Promise<void>;
  /** What the owner reads, of what was there before; without it, what was there before. */
  readonly meant?: (before: JsonObject, side: Side) => JsonObject;
  /** Whether the client itself writes our fields: then it may be named as their manager. */
  readonly writesCarriers?: true;
  /** How much of the object this client may not change: without it all, `spec` where it may write status as it likes. */
  readonly judged?: "spec";
}

/** A table of actions under one heading. */
export interface Chapter {
  readonly title: string;
  readonly actions: readonly Action[];
}

const edited = (before: JsonObject, { edit }: Side) => withField(before, edit.native.path, edit.native.value);
const labelled = (before: JsonObject) => withField(before, ["labels", "seen"], "yes");
const reported = (before: JsonObject, { report = generation, reported: value = 9 }: Side) =>
  withField(before, ["status", report], value);

/** What a controller reports of itself in most kinds. */
const generation = "observedGeneration";

const plain: Chapter = {
  title: "Plain writes",
  actions: [
    {
      name: "GET, PUT unchanged, twice",
      act: async ({ client, still }) => {
        await still(async () => client.put(await client.get()));
        await still(async () => client.put(await client.get()));
      },
    },
    {
      name: "GET, change a field, PUT",
      act: async (cell) => {
        await cell.client.put(withEdit(cell, await cell.client.get()));
      },
      meant: edited,
    },
    {
      name: "PUT without annotations and status, otherwise unchanged",
      act: bareWrite,
    },
    {
      name: "PUT without annotations and status, with a field changed",
      act: async (cell) => {
        await cell.client.put(withEdit(cell, bare(await cell.client.get())));
      },
      meant: edited,
    },
    {
      name: "PUT without annotations and status, twice in a row",
      act: async (cell) => {
        await cell.client.put(bare(await cell.client.get()));
        await cell.client.put(withEdit(cell, bare(await cell.client.get())));
      },
      meant: edited,
    },
    {
      name: "PUT with a stale resourceVersion (409)",
      act: async (cell) => {
        const stale = await cell.client.get();
        await cell.changeOwn();
        await cell.client.put(withEdit(cell, stale));
      },
    },
    {
      name: "merge PATCH of a field",
      act: async ({ client, side: { edit } }) => {
        await client.patch(withField({}, edit.client.path, edit.client.value));
      },
      meant: edited,
    },
    {
      name: "JSON PATCH of a field",
      act: async ({ client, side: { edit } }) => {
        await client.patch([{ op: "replace", path: pointerOf(edit.client.path), value: edit.client.value }]);
      },
      meant: edited,
    },
    {
      name: "merge PATCH of a label",
      act: async ({ client }) => {
        await client.patch({ metadata: { labels: { seen: "yes" } } });
      },
      meant: labelled,
    },
    {
      name: "a finalizer put on and taken off",
      act: async ({ client }) => {
        await client.patch({ metadata: { finalizers: ["home.example.dev/wait"] } });
        await client.patch({ metadata: { finalizers: null } });
      },
    },
    {
      name: "merge PATCH `metadata.annotations: null`",
      act: async ({ client, still }) => {
        await still(() => client.patch({ metadata: { annotations: null } }));
      },
    },
    {
      name: "JSON PATCH that removes our annotation",
      act: async ({ client }) => {
        const keys = Object.keys(annotationsOf(await client.get())).filter(isCarrier);
        await client.patch(
          keys.map((key) => ({ op: "remove", path: pointerOf(["metadata", "annotations", key]) })),
        );
      },
    },
    {
      name: "merge PATCH `status: null` beside spec",
      act: async ({ client }) => {
        await client.patch({ status: null });
      },
    },
  ],
};

const status: Chapter = {
  title: "Writes of /status",
  actions: [
    {
      name: "PUT of /status that rebuilds status, without annotations and spec",
      act: async (cell) => {
        await cell.client.putStatus(typedStatus(cell, await cell.client.get()));
      },
      meant: reported,
    },
    {
      name: "PUT of /status that rebuilds status, twice in a row",
      act: async (cell) => {
        await typedStatusWrite(cell);
        await typedStatusWrite(cell);
      },
      meant: reported,
    },
    {
      name: "merge PATCH of a field of status",
      act: async ({ client, side: { report = generation, reported: value = 9 } }) => {
        await client.patchStatus({ status: { [report]: value } });
      },
      meant: reported,
    },
    {
      name: "JSON PATCH that replaces status",
      act: async (cell) => {
        const { client } = cell;
        const { status = {} } = typedStatus(cell, await client.get());
        await client.patchStatus([{ op: "replace", path: "/status", value: status }]);
      },
      meant: reported,
    },
    {
      name: "server-side apply of a field of status",
      act: async ({ client, side: { report = generation, reported: value = 9 } }) => {
        await client.apply("reporter", { status: { [report]: value } }, { status: "status", force: "force" });
      },
      meant: reported,
    },
    {
      name: "merge PATCH `status: null`: what the client cannot see stays",
      act: async ({ client }) => {
        await client.patchStatus({ status: null });
      },
      meant: (before, { unseen }) => set(before, "status", unseen),
    },
  ],
};

const sequences: Chapter = {
  title: "Two careless writes in a row",
  actions: [
    {
      name: "PUT without annotations and status, then PUT of /status that rebuilds it",
      act: async (cell) => {
        await bareWrite(cell);
        await typedStatusWrite(cell);
      },
      meant: reported,
    },
    {
      name: "PUT of /status that rebuilds it, then PUT without annotations and status",
      act: async (cell) => {
        await typedStatusWrite(cell);
        await bareWrite(cell);
      },
      meant: reported,
    },
    {
      name: "merge PATCH `metadata.annotations: null`, then PUT of /status that rebuilds it",
      act: async (cell) => {
        await cell.client.patch({ metadata: { annotations: null } });
        await typedStatusWrite(cell);
      },
      meant: reported,
    },
  ],
};

const kubectl: Chapter = {
  title: "kubectl",
  actions: [
    {
      name: "`kubectl apply` of a file, twice",
      act: async (cell) => {
        const file = withEdit(cell, fileOf(cell, await cell.client.get()));
        await cell.client.kubectl(["apply", "-f", "-"], file);
        await cell.client.kubectl(["apply", "-f", "-"], file);
      },
      meant: edited,
    },
    {
      name: "`kubectl apply` of an old export",
      writesCarriers: true,
      act: async (cell) => {
        const old = exported(await cell.client.get());
        await cell.changeOwn();
        await cell.client.kubectl(["apply", "-f", "-"], old);
      },
    },
    {
      name: "`kubectl apply --server-side --force-conflicts` of a file",
      act: async (cell) => {
        const file = withEdit(cell, fileOf(cell, await cell.client.get()));
        await cell.client.kubectl(["apply", "--server-side", "--force-conflicts", "-f", "-"], file);
      },
      meant: edited,
    },
    {
      name: "`kubectl replace` of a file",
      act: async (cell) => {
        const file = withEdit(cell, fileOf(cell, await cell.client.get()));
        await cell.client.kubectl(["replace", "-f", "-"], file);
      },
      meant: edited,
    },
    {
      name: "`kubectl replace` of an old export",
      writesCarriers: true,
      act: async (cell) => {
        const old = exported(await cell.client.get());
        await cell.changeOwn();
        await cell.client.kubectl(["replace", "-f", "-"], old);
      },
    },
    {
      name: "`kubectl replace --subresource=status` of a file",
      act: async (cell) => {
        const file = typedStatus(cell, await cell.client.get());
        await cell.client.kubectl(["replace", "--subresource=status", "-f", "-"], exported(file));
      },
      meant: reported,
    },
    {
      name: "`kubectl edit`",
      act: async ({ client }) => {
        await client.edit('s/^metadata:/metadata:\\n  labels: {seen: "yes"}/');
      },
      meant: labelled,
    },
    {
      name: "`kubectl patch --type=merge`",
      act: async ({ client, side: { edit } }) => {
        const patch = withField({}, edit.client.path, edit.client.value);
        await client.kubectl(["patch", "OBJECT", "--type=merge", "-p", writeJson(patch)]);
      },
      meant: edited,
    },
    {
      name: "`kubectl label`",
      act: async ({ client }) => {
        await client.kubectl(["label", "OBJECT", "seen=yes"]);
      },
      meant: labelled,
    },
    {
      name: "`kubectl annotate`",
      act: async ({ client }) => {
        await client.kubectl(["annotate", "OBJECT", "seen=yes"]);
      },
      meant: (before) => withField(before, ["annotations", "seen"], "yes"),
    },
    {
      name: "`kubectl replace --force` of a file",
      act: async (cell) => {
        const file = fileOf(cell, await cell.client.get());
        await cell.client.kubectl(["replace", "--force", "-f", "-"], file);
      },
    },
    {
      name: "`kubectl replace --force` of an export",
      writesCarriers: true,
      act: async (cell) => {
        await cell.client.kubectl(["replace", "--force", "-f", "-"], exported(await cell.client.get()));
      },
    },
  ],
};

const recreated: Chapter = {
  title: "Deleted and created again",
  actions: [
    {
      name: "created from an export without our annotation",
      act: async (cell) => {
        const file = fileOf(cell, await cell.client.get());
        await cell.client.remove();
        await cell.client.create(file);
      },
    },
    {
      name: "created from an export",
      writesCarriers: true,
      act: async ({ client }) => {
        const file = exported(await client.get());
        await client.remove();
        await client.create(file);
      },
    },
    {
      name: "created from an export, then its /status restored",
      writesCarriers: true,
      act: async ({ client }) => {
        const file = exported(await client.get());
        await client.remove();
        await client.create(file);
        await client.putStatus({ ...(await client.get()), status: file.status ?? {} });
      },
    },
  ],
};

const apply: Chapter = {
  title: "Server-side apply at the client's version",
  actions: [
    {
      name: "a label applied, then no longer applied",
      act: async ({ client }) => {
        await client.apply("labeller", { metadata: { labels: { seen: "yes" } } });
        await client.apply("labeller", {});
      },
    },
    {
      name: "a field applied by a second manager with force",
      act: async ({ client, side: { edit } }) => {
        await client.apply("second", withField({}, edit.client.path, edit.client.value), { force: "force" });
      },
      meant: edited,
    },
    {
      name: "the whole spec applied with force, then nothing of it",
      act: async ({ client }) => {
        const { spec = {} } = withoutCarriers(await client.get());
        await client.apply("all", { spec }, { force: "force" });
        await client.apply("all", {});
      },
    },
    {
      name: "the same applied three times",
      act: async ({ client, still }) => {
        const { spec = {} } = withoutCarriers(await client.get());
        await client.apply("all", { spec }, { force: "force" });
        await still(() => client.apply("all", { spec }));
        await still(() => client.apply("all", { spec }));
      },
    },
    {
      name: "an export applied with force, then the owner applies its own data without force",
      writesCarriers: true,
      act: async ({ native, client, side: { own, again } }) => {
        await native.apply("owner", withField({}, own.path, own.value), { force: "force" });
        await client.apply("exporter", exported(await client.get()), { force: "force" });
        await native.apply("owner", withField({}, own.path, again));
      },
      meant: (before, { own, again }) => withField(before, own.path, again),
    },
    {
      name: "an old export applied with force, without its generation",
      writesCarriers: true,
      act: (cell) => applyOldExport(cell, ["generation"]),
    },
    {
      name: "an old export applied with force",
      writesCarriers: true,
      act: (cell) => applyOldExport(cell, []),
    },
  ],
};

const hostile: Chapter = {
  title: "Hostile writes of our own fields",
  actions: [
    {
      name: "/status: every leaf of `status.conversionData` changed",
      writesCarriers: true,
      judged: "spec",
      act: ({ client }) => forgeStatus(client, (data) => forgedLeaves(data)),
    },
    {
      name: "/status: a leaf added",
      writesCarriers: true,
      judged: "spec",
      act: ({ client, side }) => forgeStatus(client, (data) => withForgedOwn(data, side)),
    },
    {
      name: "/status: the leaves of spec removed",
      writesCarriers: true,
      judged: "spec",
      act: ({ client }) => forgeStatus(client, withoutSpecLeaves),
    },
    {
      name: "/status: leaves changed, generation 99",
      writesCarriers: true,
      judged: "spec",
      act: ({ client, side }) =>
        forgeStatus(client, (data) => ({ ...withForgedOwn(data, side), generation: 99 })),
    },
    {
      name: "/status: leaves changed, another object's uid",
      writesCarriers: true,
      judged: "spec",
      act: ({ client, side }) =>
        forgeStatus(client, (data) => ({ ...withForgedOwn(data, side), uid: "0000" })),
    },
    {
      name: "/status: text in place of `status.conversionData`",
      writesCarriers: true,
      judged: "spec",
      act: async ({ client }) => {
        await client.patchStatus({ status: { conversionData: { format: 1, hub: "x", spokes: [] } } });
      },
    },
    {
      name: "an annotation that claims status",
      writesCarriers: true,
      act: ({ client, side }) => forgeAnnotation(client, (data) => withForgedStatus(data, side)),
    },
    {
      name: "an annotation that is damaged",
      writesCarriers: true,
      act: async ({ client }) => {
        const keys = Object.keys(annotationsOf(await client.get())).filter(isCarrier);
        const damaged = Object.fromEntries(keys.map((key) => [key, '{"format":1,"hub":{']));
        await client.patch({ metadata: { annotations: damaged } });
      },
    },
  ],
};

/** Everything that clients are known to do, in the order of docs/evidence/client-actions.md. */
export const chapters: readonly Chapter[] = [plain, status, sequences, kubectl, recreated, apply, hostile];

/** The actions that are tried on an object whose annotation is left out for its size. */
export const onOversized: readonly Action[] = [
  ...plain.actions.slice(0, 4),
  status.actions[0],
  ...sequences.actions,
].filter((action) => action !== undefined);

async function bareWrite({ client }: Cell): Promise<void> {
  await client.put(bare(await client.get()));
}

async function typedStatusWrite(cell: Cell): Promise<void> {
  await cell.client.putStatus(typedStatus(cell, await cell.client.get()));
}

async function applyOldExport(cell: Cell, left: readonly string[]): Promise<void> {
  const { client } = cell;
  const old = exported(await client.get());
  await cell.changeOwn();
  const metadata = Object.fromEntries(Object.entries(metadataOf(old)).filter(([key]) => !left.includes(key)));
  await client.apply("exporter", { ...old, metadata }, { force: "force" });
}

function withEdit({ side: { edit } }: Cell, object: JsonObject): JsonObject {
  return withField(object, edit.client.path, edit.client.value);
}

/** What a client sends that builds its objects from the fields it knows: no annotations, no status. */
function bare(object: JsonObject): JsonObject {
  const { name = "", namespace = "", resourceVersion = "" } = metadataOf(object);
  const { spec = {}, apiVersion = "", kind = "" } = object;
  return { apiVersion, kind, metadata: { name, namespace, resourceVersion }, spec };
}

/** What a controller sends to /status that builds it from the fields it knows. */
function typedStatus(
  { side: { report = generation, reported: value = 9 } }: Cell,
  object: JsonObject,
): JsonObject {
  const { name = "", namespace = "", resourceVersion = "" } = metadataOf(object);
  const { status, apiVersion = "", kind = "" } = withoutCarriers(object);
  const metadata = { name, namespace, resourceVersion };
  return {
    apiVersion,
    kind,
    metadata,
    status: withField(isObject(status) ? status : {}, [report], value),
  };
}

function fileOf({ client }: Cell, object: JsonObject): JsonObject {
  const { spec = {} } = withoutCarriers(object);
  return client.file({ spec });
}

function annotationsOf(object: JsonObject): JsonObject {
  const annotations = get(object, "metadata", "annotations");
  return isObject(annotations) ? annotations : {};
}

async function forgeStatus(client: ClientAt, forge: (data: JsonObject) => JsonObject): Promise<void> {
  const object = await client.get();
  const data = get(object, "status", "conversionData");
  const forged = forge(isObject(data) ? data : { format: 1 });
  await client.putStatus(withField(object, ["status", "conversionData"], forged));
}

/** Puts a forged annotation in place of ours, under a key of its own. */
async function forgeAnnotation(client: ClientAt, forge: (data: JsonObject) => JsonObject): Promise<void> {
  const object = await client.get();
  const all = Object.entries(annotationsOf(object));
  const [, text] = all.find(([key]) => isCarrier(key)) ?? [];
  const data = forge(typeof text === "string" ? (parseJson(text) as JsonObject) : { format: 1 });
  const others = all.filter(([key]) => !isCarrier(key));
  const annotations = Object.fromEntries([
    ...others,
    ["antechamber.dev/conversion-data-0123456789", writeJson(data)],
  ]);
  await client.put(withField(object, ["metadata", "annotations"], annotations));
}

/** The carrier's data with another value in every leaf. */
function forgedLeaves(data: JsonObject): JsonObject {
  const forge = (value: Json): Json => {
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, below]) => [key, key === "=" ? "EVIL" : forge(below)]),
    );
  };
  return forge(data) as JsonObject;
}

function withForgedOwn(data: JsonObject, side: Side): JsonObject {
  return withField(forgedLeaves(data), [...treeOf(side), ...side.own.path], {
    "=": isArray(side.own.value) || isObject(side.own.value) ? [side.own.value] : side.own.value,
  });
}

function withForgedStatus(data: JsonObject, side: Side): JsonObject {
  return withField(data, [...treeOf(side), "status"], {
    phase: { "=": "EVIL" },
    matchedPods: { "=": 99 },
    lights: { evil: { "=": [{ name: "evil", currentBrightness: 1 }] } },
    lastChangeTime: { "=": "2000-01-01T00:00:00Z" },
  });
}

function withoutSpecLeaves(data: JsonObject): JsonObject {
  const { hub: _, spokes: __, ...rest } = data;
  return rest;
}

/** Where a carrier holds what only the native version can say: in a view what only the hub can, else by the spoke's name. */
function treeOf({ native, client, hub }: Side): readonly string[] {
  return client === hub ? ["spokes", native] : ["hub"];
}
