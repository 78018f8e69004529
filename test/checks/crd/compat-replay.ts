import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import type { Comparison } from "../../../src/checks/crd/compare.ts";
import type { Finding } from "../../../src/checks/crd/finding.ts";
import { contentOf } from "../../../src/checks/crd/revision.ts";
import { labelled } from "../../../src/checks/crd/updates.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../../../src/json/json.ts";
import type { Answer } from "../../cluster/client.ts";
import type { ApiServer } from "../../cluster/server.ts";

const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** Shown by the API server's tables once the new CRD is in force. */
const marker = { name: "Revision", type: "string", jsonPath: ".metadata.name", description: "two" };

/**
 * Replays the findings of a comparison on a real API server that has the old CRD: each object is written, the new CRD is applied,
 * and what the finding says of it is looked at. Fails at the first finding that is not true.
 */
export async function replayed(
  server: ApiServer,
  pair: { readonly old: JsonObject; readonly new: JsonObject },
  { findings, refusedCrd }: Comparison,
): Promise<void> {
  const trials = findings.map((finding, index) => new Trial(server, pair, finding, index));
  for (const trial of trials) await trial.before();
  const applied = await applyCrd(server, pair.new);
  if (refusedCrd.length > 0) {
    assert.equal(applied.status, 422, applied.text);
    for (const sentence of refusedCrd)
      assert.ok(String(get(applied.body, "message")).includes(sentence), `${sentence}\n${applied.text}`);
    return;
  }
  assert.equal(applied.status, 200, applied.text);
  await inForce(server, pair.new);
  for (const trial of trials) await trial.after();
}

/** Replaces a CRD. */
export async function applyCrd(server: ApiServer, crd: JsonObject): Promise<Answer> {
  const path = `${crds}/${get(crd, "metadata", "name")}`;
  const { body } = await server.request("GET", path);
  const resourceVersion = get(body, "metadata", "resourceVersion") ?? null;
  const metadata = { ...(isObject(crd.metadata) ? crd.metadata : {}), resourceVersion };
  return server.request("PUT", path, { body: withMarker({ ...crd, metadata }) });
}

/** The CRD with a printer column, which changes no object. */
function withMarker(crd: JsonObject): JsonObject {
  const versions = get(crd, "spec", "versions");
  const marked = (isArray(versions) ? versions : []).map((version) => ({
    ...(isObject(version) ? version : {}),
    additionalPrinterColumns: [marker],
  }));
  return set(crd, "spec", { ...(isObject(crd.spec) ? crd.spec : {}), versions: marked });
}

/** Resolves when the API server answers by the CRD that `applyCrd` has written: its handler is replaced as a whole, columns and schemas together. */
export async function inForce(server: ApiServer, crd: JsonObject): Promise<void> {
  const served = versionsOf(crd).find((version) => get(version, "served") === true);
  const path = collectionOf(crd, String(get(served, "name")), "");
  const headers = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
  for (const end = Date.now() + 30_000; Date.now() < end; await wait(20)) {
    const { body } = await server.request("GET", path, { headers });
    if (JSON.stringify(get(body, "columnDefinitions") ?? null).includes('"Revision"')) return;
  }
  assert.fail(`${path}: the new CRD is not in force after 30 s`);
}

function versionsOf(crd: JsonObject): readonly Json[] {
  const versions = get(crd, "spec", "versions");
  return isArray(versions) ? versions : [];
}

function collectionOf(crd: JsonObject, version: string, namespace: string): string {
  const [group, plural] = [get(crd, "spec", "group"), get(crd, "spec", "names", "plural")];
  const within =
    namespace === "" || get(crd, "spec", "scope") === "Cluster" ? "" : `namespaces/${namespace}/`;
  return `/apis/${group}/${version}/${within}${plural}`;
}

/** One finding on its way through both revisions. */
class Trial {
  readonly #server: ApiServer;
  readonly #finding: Finding;
  readonly #path: string;
  /** Where it is written after the change, and where it is read then as it is stored. */
  readonly #other: string;
  readonly #storage: string;
  readonly #hasStatus: { readonly old: boolean; readonly new: boolean };
  readonly #name: string;
  /** Whether an object is in etcd as the version of the finding before the CRD changes. */
  readonly #isStoredBefore: boolean;

  constructor(
    server: ApiServer,
    pair: { readonly old: JsonObject; readonly new: JsonObject },
    finding: Finding,
    index: number,
  ) {
    this.#server = server;
    this.#finding = finding;
    this.#name = `finding-${index}`;
    const [stored = "", at = stored] = finding.version.split(" → ");
    this.#path = collectionOf(pair.old, stored, "default");
    this.#other = collectionOf(pair.new, at, "default");
    this.#storage = collectionOf(pair.new, storageOf(pair.new), "default");
    this.#hasStatus = { old: hasStatus(pair.old, stored), new: hasStatus(pair.new, stored) };
    this.#isStoredBefore = at !== stored && storageOf(pair.old) === stored;
  }

  /** Writes under the old CRD. */
  async before(): Promise<void> {
    const { effect, object, old, message = "" } = this.#finding;
    if (effect === "accepted") return this.#refuses(await this.#store("old", object, "-tried"), message);
    if (effect === "destroyed" || effect === "mistyped" || this.#path !== this.#other) {
      if (this.#isStoredBefore) this.#accepts(await this.#store("old", old ?? object));
      return;
    }
    if (effect === "refused update" || effect === "accepted update") {
      this.#accepts(await this.#store("old", old ?? object));
      const written = await this.#update(object, "All");
      if (effect === "refused update") this.#accepts(written);
      else this.#refuses(written, message);
      return;
    }
    const stored = this.#accepts(await this.#store("old", object));
    if (effect === "kept") assert.equal(valueIn(stored, this.#finding), undefined, this.#words());
    if (effect === "pruned" || effect === "defaulted")
      assert.deepEqual(valueIn(stored, this.#finding), this.#finding.before, this.#words());
  }

  /** Looks at it under the new one. */
  async after(): Promise<void> {
    const { effect, object, message = "" } = this.#finding;
    if (effect === "destroyed" || effect === "mistyped" || this.#path !== this.#other)
      return this.#elsewhere();
    switch (effect) {
      case "unserved":
        assert.equal((await this.#server.request("GET", `${this.#path}/${this.#name}`)).status, 404);
        return;
      case "refused":
        this.#refuses(await this.#store("new", object, "-new"), message);
        return this.#stored();
      case "accepted":
        this.#accepts(await this.#store("new", object, "-new"));
        return;
      case "refused update":
        return this.#refuses(await this.#update(object), message);
      case "accepted update":
        this.#accepts(await this.#update(object));
        return;
      default:
        return this.#changed();
    }
  }

  /** What is stored as one version is read and labelled at another. */
  async #elsewhere(): Promise<void> {
    const { effect, object, old, message = "" } = this.#finding;
    if (!this.#isStoredBefore) this.#accepts(await this.#store("new", old ?? object));
    const path = `${this.#other}/${this.#name}`;
    const read = this.#accepts(await this.#server.request("GET", path));
    if (effect === "mistyped")
      return assert.deepEqual(valueIn(read, this.#finding), valueIn(object, this.#finding), this.#words());
    const body = { metadata: { labels: { touched: "true" } } };
    const written = await this.#server.request("PATCH", path, { body });
    if (effect === "refused update") return this.#refuses(written, message);
    this.#accepts(written);
    const stored = this.#accepts(await this.#server.request("GET", `${this.#storage}/${this.#name}`));
    assert.deepEqual(contentOf(stored), contentOf(object), this.#words());
  }

  /** What was stored before is read, and written, as the finding says. */
  async #stored(): Promise<void> {
    const { stored } = this.#finding;
    const written = await this.#put(labelled(await this.#read()), "");
    assert.equal(written.status === 200 ? "accepted" : "refused", stored?.update, written.text);
    if (stored?.status === undefined) return;
    // Read again: where the new revision stores another version, the update has pruned what that version does not have.
    const status = await this.#put(await this.#read(), "/status");
    assert.equal(status.status === 200 ? "accepted" : "refused", stored.status, status.text);
  }

  /** A new object is stored otherwise; a value that is pruned is lost to readers of a stored one, too. */
  async #changed(): Promise<void> {
    const { effect, object, after } = this.#finding;
    const created = this.#accepts(await this.#store("new", object, "-new"));
    assert.deepEqual(valueIn(created, this.#finding), after, this.#words());
    if (effect === "pruned")
      assert.deepEqual(valueIn(await this.#read(), this.#finding), after, this.#words());
  }

  async #read(): Promise<JsonObject> {
    const { body, status, text } = await this.#server.request("GET", `${this.#path}/${this.#name}`);
    assert.equal(status, 200, text);
    return body as JsonObject;
  }

  /** Creates an object and, where its status has an endpoint, writes the status after that. */
  async #store(side: "old" | "new", object: JsonObject, suffix = ""): Promise<Answer> {
    const name = this.#name + suffix;
    const metadata = { ...(isObject(object.metadata) ? object.metadata : {}), name };
    const created = await this.#server.request("POST", this.#path, { body: { ...object, metadata } });
    if (created.status !== 201 || !this.#hasStatus[side] || object.status === undefined) return created;
    const body = set(created.body as JsonObject, "status", object.status);
    return this.#server.request("PUT", `${this.#path}/${name}/status`, { body });
  }

  async #update(object: JsonObject, dryRun = ""): Promise<Answer> {
    const { metadata } = await this.#read();
    return this.#put({ ...object, metadata: metadata ?? {} }, "", dryRun);
  }

  #put(body: JsonObject, subresource: string, dryRun = ""): Promise<Answer> {
    const query = dryRun === "" ? "" : `?dryRun=${dryRun}`;
    return this.#server.request("PUT", `${this.#path}/${this.#name}${subresource}${query}`, { body });
  }

  #accepts({ status, body, text }: Answer): JsonObject {
    assert.ok(status < 300, `${this.#words()}\n${text}`);
    return body as JsonObject;
  }

  #refuses({ status, body, text }: Answer, message: string): void {
    assert.equal(status, 422, `${this.#words()}\n${text}`);
    assert.ok(String(get(body, "message")).includes(message), `${this.#words()}\n${text}`);
  }

  #words(): string {
    return JSON.stringify(this.#finding, null, 1);
  }
}

function storageOf(crd: JsonObject): string {
  return String(
    get(
      versionsOf(crd).find((each) => get(each, "storage") === true),
      "name",
    ),
  );
}

function hasStatus(crd: JsonObject, version: string): boolean {
  const found = versionsOf(crd).find((each) => get(each, "name") === version);
  return (get(found, "subresources", "status") ?? null) !== null;
}

/** The value of an object at the field of a finding. */
function valueIn(object: JsonObject, { field }: Finding): Json | undefined {
  const steps = [...field.matchAll(/\[(\d+)\]|\[([^\]]*)\]|([^.[\]]+)/g)];
  return steps.reduce<Json | undefined>(
    (here, [, index, key, name]) =>
      index === undefined ? get(here, key ?? name ?? "") : isArray(here) ? here[Number(index)] : undefined,
    object,
  );
}
