import { execFileSync, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { stringify } from "yaml";
import type { VersionChain } from "../../src/conversion/version-chain.ts";
import { plainValue } from "../../src/draft/example.ts";
import { equal } from "../../src/json/equal.ts";
import { parseJson } from "../../src/json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../../src/json/json.ts";
import type { Kind, Kinds } from "../../src/kind/kind.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { contentSchemaOf } from "../../src/laws/content-schema.ts";
import type { SchemaPlace } from "../../src/laws/places.ts";
import { findPublished, publishedLeftOut } from "../cluster/published.ts";
import { publishedKinds } from "../cluster/published-kinds.ts";
import { antechamber } from "../support/cli.ts";
import {
  imageIn,
  leavesOf,
  valueWith,
  versionOf,
  withLensesOf,
  withoutEmpty,
  withoutRows,
} from "./fidelity.ts";

// node test/draft/upstream.ts: how many fields drafts, and lenses by hand, map as the Go of the project itself does. It builds that Go,
// which takes minutes, and writes test/cases/draft-upstream.yaml, with which a test compares docs/guides/import.md.

const programs = [
  {
    name: "cluster-api",
    group: "cluster.x-k8s.io",
    kinds: ["Cluster", "ClusterClass", "Machine", "MachineDeployment"],
    older: "v1beta1",
    newer: "v1beta2",
  },
  {
    name: "prometheus-operator",
    group: "monitoring.coreos.com",
    kinds: ["AlertmanagerConfig"],
    older: "v1alpha1",
    newer: "v1beta1",
  },
] as const;

/** The shares of a kind, both ways between two versions. */
interface Shares {
  readonly kind: string;
  readonly older: string;
  readonly newer: string;
  /** Fields that the project's Go converts; it rejects plain values of a few that hold any JSON. */
  readonly fields: number;
  readonly draft: number;
  readonly byHand: number;
  readonly withoutRows: number;
  /** Where the lens by hand and Go differ. */
  readonly differences: readonly string[];
}

/** One way between two versions, and the program that knows it. */
interface Way {
  readonly program: string;
  readonly group: string;
  readonly kind: string;
  readonly from: string;
  readonly to: string;
}

if (import.meta.main) await main();

async function main(): Promise<void> {
  const published = findPublished();
  if (published === undefined) throw new Error(publishedLeftOut);
  const root = await mkdtemp(path.join(tmpdir(), "antechamber-upstream-"));
  await writeFile(path.join(root, "package.json"), '{"type":"module"}');
  await antechamber(["import", published, "--out", path.join(root, "webhooks")]);
  const made = await publishedKinds(published);
  const [drafts, models] = [await loadKinds([path.join(root, "webhooks")]), await loadKinds([made.folder])];
  const shares = programs.flatMap((each) => {
    const program = path.join(root, each.name);
    const cwd = path.join(import.meta.dirname, "upstream");
    execFileSync("go", ["build", "-p", "1", "-o", program, `./${each.name}`], { cwd, stdio: "inherit" });
    return each.kinds.map((kind) => sharesOf({ ...each, kind, program }, drafts, models));
  });
  await Promise.all([made.remove(), rm(root, { recursive: true, force: true })]);
  await writeFile("test/cases/draft-upstream.yaml", stringify(shares, { lineWidth: 0 }));
}

function sharesOf(
  { older, newer, ...way }: Omit<Way, "from" | "to"> & Pick<Shares, "older" | "newer">,
  drafts: Kinds,
  models: Kinds,
): Shares {
  const [draft, model] = [drafts.find(way.group, way.kind), models.find(way.group, way.kind)];
  if (draft === undefined || model === undefined) throw new Error(`${way.kind} is missing`);
  const ways = [
    { ...way, from: older, to: newer },
    { ...way, from: newer, to: older },
  ];
  const all = ways.flatMap((each) => compared(each, draft, model));
  const count = (isOne: (each: Comparison) => boolean) => all.filter(isOne).length;
  return {
    ...{ kind: way.kind, older, newer, fields: all.length },
    draft: count(({ isDrafted }) => isDrafted),
    byHand: count(({ isByHand }) => isByHand),
    withoutRows: count(({ isAlone }) => isAlone),
    differences: all.flatMap(({ isByHand, name }) => (isByHand ? [] : [name])),
  };
}

interface Comparison {
  readonly name: string;
  readonly isDrafted: boolean;
  readonly isByHand: boolean;
  readonly isAlone: boolean;
}

/** Compares what each field adds to an object that has nothing but the parents of the field and the keys of its lists. */
function compared(way: Way, draft: Kind, model: Kind): readonly Comparison[] {
  const schema = contentSchemaOf(versionOf(draft, way.from).entry);
  const leaves = leavesOf(schema);
  const objectsWith = (make: (leaf: SchemaPlace) => Json) =>
    leaves.map((leaf) => valueWith(schema, leaf.steps, make(leaf)) as JsonObject);
  const [objects, without] = [objectsWith(visibleValue), objectsWith(() => null).map(withoutNulls)];
  const byGo = convertedByGo(way, [...objects, ...without]);
  const chains = [draft.chain, withLensesOf(draft, model), withoutRows(draft)];
  return leaves.flatMap((leaf, index) => {
    const [object, rest] = [objects[index] ?? {}, without[index] ?? {}];
    const [whole, base] = [byGo[index], byGo[leaves.length + index]];
    if (whole === undefined) return [];
    const expected = added(whole, base ?? {}, object);
    const [isDrafted = false, isByHand = false, isAlone = false] = chains.map((chain: VersionChain) => {
      const image = (each: JsonObject) => imageIn(chain, each, way.from, way.to);
      return equal(added(image(object), image(rest), object), expected);
    });
    return [{ name: `${way.from} ${leaf.text}`, isDrafted, isByHand, isAlone }];
  });
}

/** Without members that are null. */
function withoutNulls<Value extends Json>(value: Value): Value;
function withoutNulls(value: Json): Json {
  if (isArray(value)) return value.map((each) => withoutNulls(each));
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(members.map(([key, each]) => [key, withoutNulls(each)]));
}

/** A value that Go writes even where it leaves zero values out. */
function visibleValue({ schema, steps }: SchemaPlace): Json {
  const name = String(steps.findLast((step) => typeof step === "string") ?? "");
  const value = plainValue({ schema, name, width: 1 });
  return value === "" ? "example" : value === false ? true : value === 0 ? 1 : value;
}

/** The objects as the project's Go converts them; undefined for one that it rejects. */
function convertedByGo(
  { program, group, kind, from, to }: Way,
  objects: readonly JsonObject[],
): readonly (Json | undefined)[] {
  const identity = { apiVersion: `${group}/${from}`, kind, metadata: { name: "example" } };
  const input = objects
    .map((each) => `${JSON.stringify({ kind, to, object: { ...identity, ...each } })}\n`)
    .join("");
  const ran = spawnSync(program, { input, encoding: "utf8", maxBuffer: 2 ** 30 });
  const lines = ran.stdout
    .trimEnd()
    .split("\n")
    .map((line) => parseJson(line));
  if (lines.length !== objects.length) throw new Error(`${kind}: ${ran.stderr}`);
  return lines.map((line) => (get(line, "error") === undefined ? line : undefined));
}

/** The values by their paths that one object has and another has not, but for zero values that the source does not have. */
function added(whole: Json, base: Json, source: JsonObject): JsonObject {
  const valuesOf = (object: Json) => valuesByPath(contentOf(object));
  const [before, given] = [valuesOf(base), valuesOf(source)];
  const isNew = ([name, value]: readonly [string, Json]) =>
    !equal(before.get(name) ?? null, value) &&
    (given.has(name) || (value !== "" && value !== 0 && value !== false));
  return Object.fromEntries([...valuesOf(whole)].filter(isNew));
}

function contentOf(object: Json): Json {
  if (!isObject(object)) return object;
  const { apiVersion: _, kind: __, metadata: ___, ...content } = object;
  return withoutEmpty(content);
}

function valuesByPath(value: Json, prefix = ""): ReadonlyMap<string, Json> {
  const below = isArray(value)
    ? [...value.entries()].map(([index, each]) => [`${prefix}[${index}]`, each] as const)
    : isObject(value)
      ? Object.entries(value).map(([key, each]) => [`${prefix}.${key}`, each] as const)
      : undefined;
  if (below === undefined) return value === null ? new Map() : new Map([[prefix, value]]);
  return new Map(below.flatMap(([name, each]) => [...valuesByPath(each, name)]));
}
