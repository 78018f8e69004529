import { readFileSync, writeFileSync } from "node:fs";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseJson, writeJson } from "../../../src/json/exact.ts";
import { isObject, type Json, type JsonObject, objectAt, set, textAt } from "../../../src/json/json.ts";
import { mergePatched } from "../../../src/json/merge-patch.ts";
import type { Kinds } from "../../../src/kind/kind.ts";
import { loadKinds } from "../../../src/kind/load-kinds.ts";
import { lived as livedInPage } from "../../../src/play/life/lives.ts";
import { withFields } from "../../../src/play/life/release.ts";
import { birthday, uidOf } from "../../../src/play/life/server.ts";
import { exported, left, type Step } from "../../../src/play/life/steps.ts";
import { readYaml, writeYaml } from "../../../src/yaml/yaml.ts";
import {
  outcomesOf,
  recordingOf,
  type Story,
  stories,
  storyKinds,
  type Taken,
  textOf,
} from "../../play/stories.ts";
import { type RunningService, startService } from "../../support/service.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import type { Answer } from "../client.ts";
import { type Home, register, startHome } from "../home.ts";
import { drawing } from "./draw.ts";
import { drawnSteps } from "./drawn-steps.ts";
import { until } from "./served.ts";

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("stories on a real API server", claims);

function claims(): void {
  let home: Home;
  const kinds = loadKinds(storyKinds);
  beforeAll(async () => {
    home = await startHome(storyKinds);
  }, 300_000);
  afterAll(async () => {
    await home?.stop();
  });
  const hasRelease = ({ steps }: Story) => steps.some((step) => "release" in step);

  it.each(named(stories.filter((story) => !hasRelease(story))))("%s: %s", async (_name, _title, story) => {
    await compare(story, await lived(home, story, await placeOf(story, home)));
  });

  // A release replaces the service of all kinds, so that these have a server of their own.
  it.each(named(stories.filter(hasRelease)))("%s: %s", async (_name, _title, story) => {
    const own = await startHome(storyKinds);
    const releases = new Releases(own, await kinds);
    try {
      await compare(story, await lived(own, story, await placeOf(story, own), releases));
    } finally {
      await Promise.all([own.stop(), releases.stop()]);
    }
  });

  // LIVES=200 SEED=7 draws others; a difference is a new story.
  it.each(["Light", "Room", "Person", "Plan"])(
    "lives of a %s that are drawn are as in a page",
    async (kind) => {
      const found = (await kinds).all.find(({ definition }) => definition.kind === kind);
      if (found === undefined) throw new Error(`there is no kind ${kind}`);
      const draw = drawing(seed);
      for (let life = 0; life < lives; life++) {
        const steps = drawnSteps(found, draw, `drawn-${life}`);
        const story = { name: "", title: "", kind: found.name, steps };
        const real = textOf(outcomesOf(await lived(home, story, await placeOf(story, home))));
        expect(textOf(outcomesOf(livedInPage(found, steps))), JSON.stringify(steps)).toBe(real);
      }
    },
    600_000,
  );

  async function compare(story: Story, taken: readonly Taken[]): Promise<void> {
    const text = textOf(outcomesOf(taken));
    if (process.env.RECORD === "1") writeFileSync(recordingOf(story), text);
    expect(text).toBe(readFileSync(recordingOf(story), "utf8"));
  }

  async function placeOf({ kind }: Story, server: Home): Promise<Place> {
    const found = (await kinds).all.find(({ name }) => name === kind);
    if (found === undefined) throw new Error(`there is no kind ${kind}`);
    const { group, plural } = found.definition;
    const versions = found.versions.map(({ name }) => name);
    const place = { group, plural, kind: found.definition.kind, versions, folder: found.folder };
    for (const version of versions)
      await until(
        async () => (await server.request("GET", pathOf(place, version))).status === 200,
        `${plural} at ${version}`,
      );
    return place;
  }
}

const seed = Number(process.env.SEED ?? 1);
const lives = Number(process.env.LIVES ?? 5);

interface Place {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  readonly versions: readonly string[];
  readonly folder: string;
}

function named(all: readonly Story[]) {
  return all.map((story) => [story.name, story.title, story] as const);
}

/** The services of later releases of kinds, each in the place of the one before. */
class Releases {
  readonly #home: Home;
  readonly #folders: Map<string, string>;
  readonly #made: string[] = [];
  #service: RunningService;

  constructor(home: Home, kinds: Kinds) {
    this.#home = home;
    this.#service = home.service;
    this.#folders = new Map(kinds.all.map(({ folder }) => [folder, folder]));
  }

  /** Serves a kind with more fields, which the API server then knows too. */
  async next(place: Place, at: string, fields: JsonObject): Promise<void> {
    const copy = await mkdtemp(join(tmpdir(), "antechamber-release-"));
    this.#made.push(copy);
    await cp(this.#folders.get(place.folder) ?? place.folder, copy, { recursive: true });
    const file = join(copy, `${at}.yaml`);
    const [entry] = readYaml(await readFile(file, "utf8"));
    await writeFile(file, writeYaml(withFields(objectAt(entry?.value), fields)));
    this.#folders.set(place.folder, copy);
    const webhooks = [...this.#folders.values()];
    const next = await startService(["--webhooks", ...webhooks, "--log-level", "info"]);
    await this.#service.stop();
    this.#service = next;
    await register(this.#home, { url: `https://127.0.0.1:${next.port}`, caFile: next.caFile, webhooks });
  }

  async stop(): Promise<void> {
    await this.#service.stop();
    await Promise.all(this.#made.map((folder) => rm(folder, { recursive: true })));
  }
}

function pathOf({ group, plural }: Place, version: string): string {
  return `/apis/${group}/${version}/namespaces/default/${plural}`;
}

/** Lives a story: all steps, each with the object at all versions afterwards. */
async function lived(
  home: Home,
  { steps }: Story,
  place: Place,
  releases?: Releases,
): Promise<readonly Taken[]> {
  const client = new StoryClient(home, place, releases);
  const taken: Taken[] = [];
  for (const step of steps) taken.push(await client.take(step));
  await client.bury();
  return taken;
}

/** The clients of one object, as one: what they have read, and what the server calls the object. */
class StoryClient {
  readonly #home: Home;
  readonly #place: Place;
  readonly #releases: Releases | undefined;
  readonly #copies = new Map<string, JsonObject>();
  readonly #uids = new Map<string, string>();
  #name = "";

  constructor(home: Home, place: Place, releases: Releases | undefined) {
    this.#home = home;
    this.#place = place;
    this.#releases = releases;
  }

  async take(step: Step): Promise<Taken> {
    const { status: code, body, headers } = await this.#sent(step);
    const views: Record<string, JsonObject> = {};
    for (const version of this.#place.versions) {
      const { status, body: view } = await this.#home.request("GET", this.#path(version));
      if (status === 200 && isObject(view)) views[version] = this.#timeless(view);
    }
    const message = code < 300 ? {} : { message: messageIn(body, step) };
    return { code, ...message, warnings: warningsIn(headers.warning), views };
  }

  /** Takes the object out of the way of other stories. */
  async bury(): Promise<void> {
    await this.#home.request("DELETE", this.#path(this.#place.versions[0] ?? ""));
  }

  #path(version: string): string {
    return `${pathOf(this.#place, version)}/${this.#name}`;
  }

  async #sent(step: Step): Promise<Answer> {
    const home = this.#home;
    if ("create" in step) return this.#created(step.create.object, step.create.by);
    if ("read" in step) return this.#read(step.read.at);
    if ("delete" in step) return home.request("DELETE", this.#path(step.delete.at));
    if ("restore" in step) {
      const { at, without = [], by } = step.restore;
      return this.#created(exported(left(this.#copies.get(at) ?? {}, without)), by);
    }
    if ("apply" in step) {
      const { at, object, force } = step.apply;
      this.#name ||= textAt(object, "metadata", "name");
      const identity = { name: this.#name, namespace: "default" };
      const { group, kind } = this.#place;
      const metadata = { ...objectAt(object.metadata), ...identity };
      const body = { ...object, apiVersion: `${group}/${at}`, kind, metadata };
      const more = `${query(step.apply)}${force ? "&force=true" : ""}`;
      return home.request("PATCH", this.#path(at) + more, {
        body,
        contentType: "application/apply-patch+yaml",
      });
    }
    if ("patch" in step) {
      const { at, patch } = step.patch;
      return home.request("PATCH", this.#path(at) + query(step.patch), { body: patch });
    }
    if ("release" in step) return this.#released(step.release.at, step.release.fields);
    const { at, kept, change = {}, without = [] } = step.replace;
    const base = kept ? this.#copies.get(at) : (await home.request("GET", this.#path(at))).body;
    const body = mergePatched(left(objectAt(base), without), change);
    return home.request("PUT", this.#path(at) + query(step.replace), { body });
  }

  /** Asks, with nothing written, until the new fields are known and the new service answers at all versions. */
  async #released(at: string, fields: JsonObject): Promise<Answer> {
    await this.#releases?.next(this.#place, at, fields);
    const [path = ""] = Object.keys(fields);
    const patch = path.split(".").reduceRight<Json>((value, name) => ({ [name]: value }), "");
    const probe = (version: string, body: Json) =>
      this.#home.request("PATCH", `${this.#path(version)}?dryRun=All&fieldValidation=Strict`, { body });
    const probes = () =>
      Promise.all(this.#place.versions.map((version) => probe(version, version === at ? patch : {})));
    await until(async () => (await probes()).every(({ status }) => status === 200), "the next release");
    return { status: 200, headers: {}, body: undefined, text: "" };
  }

  #created(object: JsonObject, by?: string): Promise<Answer> {
    this.#name = textAt(object, "metadata", "name");
    const version = textAt(object, "apiVersion").split("/").at(-1) ?? "";
    const body = set(object, "metadata", { ...objectAt(object.metadata), namespace: "default" });
    return this.#home.request("POST", pathOf(this.#place, version) + query(by === undefined ? {} : { by }), {
      body,
    });
  }

  async #read(at: string): Promise<Answer> {
    const answer = await this.#home.request("GET", this.#path(at));
    if (answer.status === 200) this.#copies.set(at, objectAt(answer.body));
    return answer;
  }

  /** An object with the uid and the times that it has in every life. */
  #timeless(view: JsonObject): JsonObject {
    const uid = textAt(view, "metadata", "uid");
    if (!this.#uids.has(uid)) this.#uids.set(uid, uidOf(this.#uids.size + 1));
    let text = writeJson(view);
    for (const [real, known] of this.#uids) text = text.replaceAll(real, known);
    const metadata = objectAt(parseJson(text), "metadata");
    const times = ["creationTimestamp", "deletionTimestamp"].flatMap((name) =>
      metadata[name] === undefined ? [] : [[name, birthday] as const],
    );
    return set(objectAt(parseJson(text)), "metadata", { ...metadata, ...Object.fromEntries(times) });
  }
}

function query({ by = "client", status }: { readonly by?: string; readonly status?: boolean }): string {
  return `${status ? "/status" : ""}?fieldManager=${by}`;
}

/** What the server says, without the times of managers in conflicts. */
function messageIn(body: Json | undefined, step: Step): string {
  if ("read" in step) return "there is no such object";
  return textAt(body, "message").replaceAll(/ at \d{4}-\d\d-\d\dT[\d:]+Z/g, "");
}

/** `299 - "…"`, several in one header. */
function warningsIn(header: string | string[] | undefined): readonly string[] {
  const text = [header ?? []].flat().join(", ");
  return [...text.matchAll(/299 - ("(?:[^"\\]|\\.)*")/g)].map(
    ([, quoted = '""']) => JSON.parse(quoted) as string,
  );
}
