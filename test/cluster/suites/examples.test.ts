import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { get, isArray, isObject, type Json, type JsonObject } from "../../../src/json/json.ts";
import { readYaml } from "../../../src/yaml/yaml.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import type { Answer, WatchEvent } from "../client.ts";
import { contentOf, differences, withField } from "../content.ts";
import { group, type Home, startHome } from "../home.ts";
import { metadataOf, type Names, type Subject, subject } from "../subject.ts";

const versions = ["v1beta1", "v1"];
const kinds: readonly Names[] = [
  { kind: "Light", plural: "lights" },
  { kind: "Lock", plural: "locks" },
  { kind: "Room", plural: "rooms" },
];

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("every example of a home kind, in a real API server,", claims);

function claims(): void {
  let home: Home;
  beforeAll(async () => {
    home = await startHome();
  }, 100_000);
  afterAll(() => home?.stop());

  for (const names of kinds) {
    for (const version of versions) {
      it(`is preserved: each ${names.kind} of ${version}, when clients read, list, watch, write and delete it`, async () => {
        const place = { home, names, version, namespace: `${names.plural}-${version}` };
        await home.createNamespace(place.namespace);
        const watches = await Promise.all(versions.map((each) => watchAll(place, each)));
        const live = await Promise.all(
          examplesOf(names, version).map((example) => bringToLife(place, example)),
        );
        expect(live.length).toBeGreaterThan(0);
        for (const at of versions) await expectListed(place, at, live);
        await Promise.all(live.map((each) => expectUntouchable(place, each)));
        await Promise.all(live.map((each) => expectWritable(place, each)));
        for (const watch of watches) await expectWatched(watch, live);
        for (const watch of watches) watch.stop();
      }, 60_000);
    }
  }
}

interface Place {
  readonly home: Home;
  readonly names: Names;
  readonly version: string;
  readonly namespace: string;
}

interface Live {
  readonly subject: Subject;
  /** What must be read at its own version. */
  readonly content: JsonObject;
}

/** Creates an example and puts its status; at its own version it reads as it was sent, with its defaults. */
async function bringToLife({ home, names, version, namespace }: Place, example: JsonObject): Promise<Live> {
  const it = subject(home, names, namespace, String(get(example, "metadata", "name")));
  const client = it.at(version);
  const { status, ...rest } = example;
  const created = await client.create(client.file(example));
  expect(created, created.text).toMatchObject({ status: 201 });
  const content = withDefaults(names, version, contentOf(client.file(rest)));
  expect(differences(content, contentOf(bodyOf(created)))).toEqual([]);
  if (status === undefined) return { subject: it, content };
  const put = await client.putStatus({ ...bodyOf(created), status });
  expect(put, put.text).toMatchObject({ status: 200 });
  const whole = { ...content, status };
  expect(differences(whole, contentOf(bodyOf(put)))).toEqual([]);
  expect(differences(whole, contentOf(await client.get()))).toEqual([]);
  return { subject: it, content: whole };
}

/** A read and an unchanged write at either version leave it as it is, resourceVersion included. */
async function expectUntouchable({ version }: Place, { subject, content }: Live): Promise<void> {
  for (const at of [...versions, ...versions]) {
    const client = subject.at(at);
    const before = await client.get();
    for (const write of [client.put, client.putStatus]) {
      const answer = await write(before);
      expect(answer, answer.text).toMatchObject({ status: 200 });
      expect(differences(before, bodyOf(answer)), `${subject.name} written unchanged at ${at}`).toEqual([]);
    }
  }
  expect(differences(content, contentOf(await subject.at(version).get()))).toEqual([]);
}

/** A label put on at either version changes nothing else; deleted at the other version it is gone. */
async function expectWritable({ version }: Place, { subject, content }: Live): Promise<void> {
  const other = subject.at(version === "v1" ? "v1beta1" : "v1");
  for (const client of [subject.at(version), other]) {
    const answer = await client.patch({ metadata: { labels: { [client.version]: "seen" } } });
    expect(answer, answer.text).toMatchObject({ status: 200 });
  }
  const labels = { ...objectOr(content.labels), v1: "seen", v1beta1: "seen" };
  expect(differences({ ...content, labels }, contentOf(await subject.at(version).get()))).toEqual([]);
  expect(await other.remove()).toMatchObject({ status: 200 });
  await expect(other.get()).rejects.toThrow("404");
}

/** Every form of a list shows each object as a single read does. */
async function expectListed(
  { home, names, namespace }: Place,
  at: string,
  live: readonly Live[],
): Promise<void> {
  const path = `/apis/${group}/${at}/namespaces/${namespace}/${names.plural}`;
  const single = await Promise.all(live.map(({ subject }) => subject.at(at).get()));
  const lists = [
    itemsOf(await home.request("GET", path)),
    itemsOf(await home.request("GET", `${path}?resourceVersion=0`)),
    itemsOf(await home.request("GET", `${path}?labelSelector=not-there!=x`)),
    await inPages(home, path),
  ];
  for (const items of lists) expect(differences(byName(single), byName(items))).toEqual([]);
  const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
  const table = await home.request("GET", path, { headers: { accept } });
  expect(get(table.body, "kind")).toBe("Table");
  expect(itemsOf(table, "rows")).toHaveLength(live.length);
}

async function inPages(home: Home, path: string): Promise<readonly JsonObject[]> {
  const items: JsonObject[] = [];
  let next = "";
  do {
    const page = await home.request("GET", `${path}?limit=3${next}`);
    items.push(...itemsOf(page));
    const token = get(page.body, "metadata", "continue");
    next = typeof token === "string" && token !== "" ? `&continue=${token}` : "";
  } while (next !== "");
  return items;
}

interface Watching {
  readonly at: string;
  readonly version: string;
  readonly seen: WatchEvent[];
  readonly deleted: (count: number) => Promise<void>;
  readonly stop: () => void;
}

async function watchAll({ home, names, version, namespace }: Place, at: string): Promise<Watching> {
  const seen: WatchEvent[] = [];
  let wake = () => {};
  const path = `/apis/${group}/${at}/namespaces/${namespace}/${names.plural}?resourceVersion=0`;
  const watch = await home.watch(path, (event) => {
    seen.push(event);
    wake();
  });
  const gone = () => seen.filter(({ type }) => type === "DELETED").length;
  const deleted = async (count: number) => {
    while (gone() < count) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { at, version, seen, deleted, stop: watch.stop };
}

/** A watch saw each object come, change and go, and at its own version whole. */
async function expectWatched(watching: Watching, live: readonly Live[]): Promise<void> {
  await watching.deleted(live.length);
  for (const { subject, content } of live) {
    const events = watching.seen.filter(({ object }) => get(object, "metadata", "name") === subject.name);
    expect(events.at(0)?.type).toBe("ADDED");
    expect(events.at(-1)?.type).toBe("DELETED");
    for (const { object } of events) expect(get(object, "apiVersion")).toBe(`${group}/${watching.at}`);
    if (watching.at !== watching.version) continue;
    const labels = { ...objectOr(content.labels), v1: "seen", v1beta1: "seen" };
    const last = events.at(-1)?.object;
    expect(differences({ ...content, labels }, contentOf(isObject(last) ? last : {}))).toEqual([]);
  }
}

/** What the schemas' and webhooks' defaults add to an example, written here by hand. */
function withDefaults({ kind }: Names, version: string, content: JsonObject): JsonObject {
  if (!isObject(content.spec)) return content;
  if (kind === "Light") return lightWithDefaults(version, content);
  const transition = get(content, "annotations", "home.antechamber.dev/default-transition");
  const lights = get(content, "spec", "lights");
  if (kind !== "Room" || version !== "v1" || transition === undefined || !isArray(lights)) return content;
  const filled = lights.map((light) => (isObject(light) ? { transition, ...light } : light));
  return withField(content, ["spec", "lights"], filled);
}

function lightWithDefaults(version: string, content: JsonObject): JsonObject {
  const spec = objectOr(content.spec);
  if (version === "v1beta1") return { ...content, spec: { fadeSeconds: 0, ...spec } };
  const address = get(spec, "device", "address");
  const [, scheme = "", rest = ""] = /^(zigbee|matter|simulated):\/\/(.*)$/s.exec(String(address)) ?? [];
  const protocol = scheme.charAt(0).toUpperCase() + scheme.slice(1);
  const device = { ...objectOr(spec.device), protocol, address: rest };
  return { ...content, spec: { transition: "0s", ...spec, ...(scheme === "" ? {} : { device }) } };
}

function examplesOf({ kind }: Names, version: string): readonly JsonObject[] {
  const folder = join("webhooks/home", kind.toLowerCase(), "examples", version);
  const documents = readdirSync(folder).flatMap((file) => readYaml(readFileSync(join(folder, file), "utf8")));
  return documents.map(({ value }) => objectOr(value));
}

function byName(objects: readonly JsonObject[]): JsonObject {
  return Object.fromEntries(objects.map((each) => [String(metadataOf(each).name), each]));
}

function itemsOf(answer: Answer, field = "items"): readonly JsonObject[] {
  expect(answer, answer.text).toMatchObject({ status: 200 });
  const items = get(answer.body, field);
  return isArray(items) ? items.filter(isObject) : [];
}

function bodyOf({ body }: Answer): JsonObject {
  return objectOr(body);
}

function objectOr(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
