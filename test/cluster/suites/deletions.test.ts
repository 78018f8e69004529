import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deletionsOf } from "../../../src/checks/crd/deletions.ts";
import { labelled } from "../../../src/checks/crd/updates.ts";
import { storedReports } from "../../../src/cli/compat/objects.ts";
import type { Sources } from "../../../src/cli/compat/sources.ts";
import { migrate } from "../../../src/cli/migrate/run.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../../../src/json/json.ts";
import { revision } from "../../checks/crd/compat-pairs.ts";
import { applyCrd, inForce } from "../../checks/crd/compat-replay.ts";
import { createKinds, inTurns } from "../../schema/schemas-server.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { type ApiServer, startApiServer } from "../server.ts";
import { altered, drawSchema, drawValue } from "./deletion-draw.ts";
import { type Draw, drawing, pick } from "./draw.ts";

// What is predicted to be deleted of stored objects is what a real API server then deletes, neither less nor more. DELETION_KINDS=40
// draws more kinds, DELETION_SEED=7 others; there are 50 objects of each.

const kinds = Number(process.env.DELETION_KINDS ?? 20);
const seed = Number(process.env.DELETION_SEED ?? 1);
const objectsEach = 50;

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("what is deleted of stored objects", claims);

function claims(): void {
  let server: ApiServer;
  beforeAll(async () => {
    server = await startApiServer();
  }, 100_000);
  afterAll(() => server?.stop());

  it(`is predicted of a migration, for ${kinds * objectsEach} random objects`, async () => {
    const drawn = Array.from({ length: kinds }, (_, index) =>
      drawKind(drawing(seed * 1_000 + index), "m", index),
    );
    const tallies = await inTurns(await created(drawn), 4, async (kind) => {
      const before = await list(kind, "v1alpha1");
      await replace(kind, crdOf(kind, "v1", kind.schema));
      const after = revision(crdOf(kind, "v1", kind.schema));
      const predicted = new Map(
        before.map((item) => [
          nameOf(item),
          fieldsOf(deletionsOf(after.crd, item, ["v1", "v1alpha1"], kind.schema)),
        ]),
      );
      const counted = await counts(kind);
      await run(kind, { allowLoss: true });
      const left = new Map((await list(kind, "v1")).map((item) => [nameOf(item), item]));
      const actual = new Map(before.map((item) => [nameOf(item), lost(item, left.get(nameOf(item)))]));
      expect(predicted, JSON.stringify(kind)).toEqual(actual);
      expect(counted, JSON.stringify(kind)).toBe(
        [...actual.values()].filter((fields) => fields.length > 0).length,
      );
      return { objects: before.length, losing: counted };
    });
    expectBoth(tallies);
  }, 300_000);

  it(`is predicted of a CRD that is replaced, for ${kinds * objectsEach} random objects`, async () => {
    const drawn = Array.from({ length: kinds }, (_, index) =>
      drawKind(drawing(seed * 2_000 + index), "r", index),
    );
    const tallies = await inTurns(await created(drawn), 4, async (kind) => {
      const draw = drawing(seed * 3_000 + kind.index);
      const before = await list(kind, "v1alpha1");
      const after = crdOf(kind, pick(draw, ["v1", "v1alpha1"]), changed(draw, kind.schema));
      const at = pick(draw, ["v1", "v1alpha1"]);
      const counted = await countsOfReplaced(kind, after, at);
      await replace(kind, after);
      const { crd } = revision(after);
      const storage = crd.versions.find(({ stored }) => stored)?.name ?? "";
      const found = await inTurns(before, 4, async (item) => {
        const predicted = fieldsOf(deletionsOf(crd, item, [at], kind.schema, labelled));
        const body = { metadata: { labels: { touched: "true" } } };
        const written = await server.request("PATCH", `${pathOf(kind, at)}/${nameOf(item)}`, { body });
        const left = await server.request("GET", `${pathOf(kind, storage)}/${nameOf(item)}`);
        expect([200, 422], written.text).toContain(written.status);
        const actual = written.status === 200 ? lost(item, left.body) : [];
        expect(predicted, `${at} ${JSON.stringify([kind, item, after])}`).toEqual(actual);
        return actual;
      });
      const losing = found.filter((fields) => fields.length > 0).length;
      expect(counted, JSON.stringify([kind, after])).toBe(losing);
      return { objects: before.length, losing };
    });
    expectBoth(tallies);
  }, 300_000);

  async function created(drawn: readonly Kind[]): Promise<readonly Kind[]> {
    await createKinds(
      server,
      drawn.map((kind) => crdOf(kind, "v1alpha1", kind.schema)),
    );
    for (const kind of drawn) {
      const draw = drawing(seed * 5_000 + kind.index);
      const values = Array.from({ length: objectsEach }, () => drawValue(draw, kind.schema));
      await inTurns(values, 8, (value, index) => create(kind, `o${index}`, value as JsonObject));
    }
    return drawn;
  }

  async function create(kind: Kind, name: string, value: JsonObject): Promise<void> {
    const body = { ...value, apiVersion: `${group}/v1alpha1`, kind: kind.name, metadata: { name } };
    const made = await server.request("POST", pathOf(kind, "v1alpha1"), { body });
    expect(made.status, made.text).toBe(201);
    if (!kind.hasStatus || value.status === undefined) return;
    const status = { ...(made.body as JsonObject), status: value.status };
    const written = await server.request("PUT", `${pathOf(kind, "v1alpha1")}/${name}/status`, {
      body: status,
    });
    expect(written.status, written.text).toBe(200);
  }

  async function replace(kind: Kind, crd: JsonObject): Promise<void> {
    const applied = await applyCrd(server, crd);
    expect(applied.status, `${applied.text} ${JSON.stringify(kind)}`).toBe(200);
    await inForce(server, crd);
  }

  async function list(kind: Kind, version: string): Promise<readonly JsonObject[]> {
    const answer = await server.request("GET", pathOf(kind, version));
    const items = get(answer.body, "items");
    const meta = { apiVersion: `${group}/${version}`, kind: kind.name };
    return (isArray(items) ? items : []).map((item) => ({ ...(item as JsonObject), ...meta }));
  }

  /** How many objects `migrate --dry-run` says would lose something. */
  async function counts(kind: Kind): Promise<number> {
    const said = await run(kind, { dryRun: true }).then(
      () => "",
      (error: Error) => error.message,
    );
    return Number(/deletes values of (\d+) objects? stored as v1alpha1:/.exec(said)?.[1] ?? 0);
  }

  /** How many objects `compat --objects` says would lose something with a write at a version of the replaced CRD. */
  async function countsOfReplaced(kind: Kind, after: JsonObject, at: string): Promise<number> {
    const [old, replaced] = [crdOf(kind, "v1alpha1", kind.schema), after].map(
      (json): Sources => new Map([[`${kind.plural}.${group}`, { source: "test", revision: revision(json) }]]),
    ) as [Sources, Sources];
    const io = { note: () => {}, now: () => new Date(0), interrupt: new AbortController().signal };
    const reports = await storedReports(server.kubeconfig, old, replaced, io);
    const { deletes = [] } = reports.get(`${kind.plural}.${group}`) ?? {};
    return deletes.filter((each) => each.at.includes(at)).reduce((sum, { objects }) => sum + objects, 0);
  }

  function run(kind: Kind, more: { readonly dryRun?: boolean; readonly allowLoss?: boolean }): Promise<void> {
    const { kubeconfig } = server;
    const options = {
      webhooks: [],
      kubeconfig,
      name: "test",
      dryRun: false,
      allowLoss: false,
      pageSize: 10,
      ...more,
    };
    return migrate([`${kind.plural}.${group}`], options, {
      print: () => {},
      note: () => {},
      now: () => new Date(0),
      monotonic: () => 0,
      pause: async () => {},
      interrupt: new AbortController().signal,
      progressEvery: 1_000,
    });
  }
}

const group = "deletions.example.org";

/** A kind whose version v1alpha1 is stored, and one that is to be. */
interface Kind {
  readonly index: number;
  readonly name: string;
  readonly plural: string;
  readonly hasStatus: boolean;
  readonly schema: JsonObject;
  readonly other: JsonObject;
}

function drawKind(draw: Draw, letter: string, index: number): Kind {
  const properties = { spec: objectSchema(drawSchema(draw)), status: objectSchema(drawSchema(draw)) };
  const schema = { type: "object", properties };
  const other = changed(draw, schema);
  const plural = `${letter}${index}s`;
  return { index, name: `${letter.toUpperCase()}${index}`, plural, hasStatus: draw() < 0.5, schema, other };
}

/** The root of a part is an object with fields: what else was drawn is below it. */
function objectSchema(schema: JsonObject): JsonObject {
  const { default: _, nullable: __, ...rest } = schema;
  return isObject(rest.properties) ? rest : { type: "object", properties: { inner: rest } };
}

/** A schema with the same two parts, which differ. */
function changed(draw: Draw, { properties }: JsonObject): JsonObject {
  const parts = Object.entries(properties ?? {}).map(([name, part]) => [
    name,
    objectSchema(altered(draw, part as JsonObject)),
  ]);
  return { type: "object", properties: Object.fromEntries(parts) };
}

function crdOf({ name, plural, hasStatus, other }: Kind, storage: string, schema: JsonObject): JsonObject {
  const versions = [
    ["v1alpha1", schema],
    ["v1", other],
  ].map(([version, openAPIV3Schema]) => ({
    name: version as string,
    served: true,
    storage: version === storage,
    schema: { openAPIV3Schema: openAPIV3Schema as JsonObject },
    ...(hasStatus ? { subresources: { status: {} } } : {}),
  }));
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: "Cluster", names: { kind: name, plural }, versions },
  };
}

function pathOf({ plural }: Kind, version: string): string {
  return `/apis/${group}/${version}/${plural}`;
}

function nameOf(item: Json): string {
  return String(get(item, "metadata", "name"));
}

function fieldsOf(deletions: readonly { readonly field: string }[]): readonly string[] {
  return deletions.map(({ field }) => field).toSorted();
}

/** The topmost fields of an object that another one lacks, or has otherwise, apart from its identity. */
function lost(before: JsonObject, after: Json | undefined): readonly string[] {
  const below = (value: Json, other: Json | undefined, path: string): readonly string[] => {
    if (isArray(value) && isArray(other) && value.length === other.length)
      return value.flatMap((item, index) => below(item, other[index], `${path}[${index}]`));
    if (isObject(value) && isObject(other))
      return Object.keys(value).flatMap((key) =>
        below(value[key] ?? null, get(other, key), path === "" ? key : `${path}.${key}`),
      );
    return JSON.stringify(value) === JSON.stringify(other) ? [] : [path];
  };
  const { apiVersion: _, kind: __, metadata: ___, ...content } = before;
  return below(content, isObject(after) ? after : {}, "").toSorted();
}

/** That some objects lose something and some do not: otherwise nothing would have been tried. */
function expectBoth(tallies: readonly { readonly objects: number; readonly losing: number }[]): void {
  const [objects, losing] = [tallies.map((each) => each.objects), tallies.map((each) => each.losing)].map(
    (all) => all.reduce((sum, each) => sum + each, 0),
  );
  console.log(`${losing} of ${objects} objects lose something`);
  expect(objects).toBe(kinds * objectsEach);
  expect(losing).toBeGreaterThan((objects ?? 0) / 10);
  expect(losing).toBeLessThan(objects ?? 0);
}
