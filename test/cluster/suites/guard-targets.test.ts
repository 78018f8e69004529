import { readFileSync } from "node:fs";
import { expect } from "vitest";
import {
  type Ask,
  type Checks,
  checkKind,
  type Finding,
  type Subject,
  subjectOf,
} from "../../../src/checks/index.ts";
import { placesOf } from "../../../src/checks/webhook/build.ts";
import { casesOf } from "../../../src/checks/webhook/cases.ts";
import { drawn } from "../../../src/checks/webhook/draw.ts";
import { finished } from "../../../src/checks/webhook/pace.ts";
import { webhookClient } from "../../../src/cluster/api/webhook-client.ts";
import { equal } from "../../../src/json/equal.ts";
import { parseJson, writeJson } from "../../../src/json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject, listAt, set } from "../../../src/json/json.ts";
import { readYaml } from "../../../src/yaml/yaml.ts";
import { guarded, withStored } from "../../guard/guarded.ts";
import { compareFindings } from "../target-findings.ts";
import type { RunningTarget } from "../webhook-targets.ts";

// What `verify --url` finds of other projects' webhooks behind the guard, beside what it finds of them alone
// (test/cases/webhook-findings.yaml). RECORD=1 writes it. OBJECTS=10000 also compares so many random objects of each kind.
compareFindings("test/cases/guard-findings.yaml", behindGuard);
// What is left with --same-fields, which shows more than the webhook alone does, so that views are not compared.
compareFindings("test/cases/same-fields-findings.yaml", async (target, plural) => {
  const { subject, client, guard } = await guardOf(target, plural, true);
  const { findings } = await checkKind(subject, guard.ask, checks);
  client.close();
  return linesOf(findings);
});

/** The hub where it is not the newest version, which the webhook of this release does not know. */
const hubs: Readonly<Record<string, string>> = { volumegroupsnapshotcontents: "v1beta2" };

const checks: Checks = {
  batch: 100,
  clock: () => performance.now(),
  until: Number.POSITIVE_INFINITY,
  seed: 1,
  runs: 20,
  ignored: [],
  examples: [],
};

const randomObjects = Number(process.env.OBJECTS ?? 200);

async function guardOf(target: RunningTarget, plural: string, sameFields: boolean) {
  const [document] = readYaml(readFileSync(target.crd(plural), "utf8"));
  const crd = isObject(document?.value) ? document.value : {};
  const read = subjectOf(crd);
  if ("causes" in read) throw new Error(JSON.stringify(read.causes));
  const client = webhookClient({
    url: target.url,
    ca: readFileSync(target.caFile, "utf8"),
    timeout: 10_000,
  });
  const hub = hubs[plural];
  const stored = await storedVersions(read.subject, client.post);
  const guard = guarded(client, {
    crd: withStored(crd, stored),
    cache: 64 * 1024 ** 2,
    sameFields,
    ...(hub === undefined ? {} : { hub }),
  });
  return { subject: read.subject, stored, client, guard };
}

async function behindGuard(target: RunningTarget, plural: string): Promise<readonly string[]> {
  const { subject, stored, client, guard } = await guardOf(target, plural, false);
  const compared = new Comparison(guard.ask, client.post, subject);
  const { findings } = await checkKind(subject, compared.ask, checks);
  const [checked, refused] = [compared.objects, compared.refused];
  await compareRandom(subject, stored, compared.ask);
  client.close();
  console.log(
    `${plural}: compared ${checked} objects of the checks and ${compared.objects - checked} random ones, and ${compared.refused} that the webhook alone does not convert`,
  );
  expect(checked + refused).toBeGreaterThan(100);
  expect(compared.objects + compared.refused).toBeGreaterThan(checked + refused);
  // Each view is the upstream's own, but for zero values.
  return [...linesOf(findings), ...compared.different.keys()].toSorted();
}

/** The versions in which objects may be stored: not those that no client sees, and that the webhook alone refuses. */
async function storedVersions({ versions }: Subject, alone: Ask): Promise<readonly string[]> {
  const shown = versions.filter(({ isRead }) => isRead);
  const [to] = shown.toReversed();
  const stored = shown.map(({ name }) => name);
  for (const { isRead, base, name } of versions) {
    if (isRead || base === undefined || to === undefined) continue;
    const reply = await alone(reviewOf([base], to.apiVersion));
    const answers = listAt(
      parsed(reply.state === "answered" ? reply.text : ""),
      "response",
      "convertedObjects",
    );
    if (answers.length > 0) stored.push(name);
  }
  return stored;
}

function reviewOf(objects: readonly JsonObject[], desiredAPIVersion: string): string {
  const request = { uid: "u", desiredAPIVersion, objects };
  return writeJson({ apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", request });
}

/** Has random objects of each version that is stored converted to each other one. */
async function compareRandom({ versions }: Subject, stored: readonly string[], ask: Ask): Promise<void> {
  const kept = versions.filter(({ name }) => stored.includes(name));
  const ways = kept.flatMap((from) =>
    versions.filter((to) => to !== from && to.isRead).map((to) => ({ from, to })),
  );
  for (const { from, to } of ways) {
    const { cases } = finished(casesOf(from, placesOf(from.schema)));
    const objects = finished(drawn(from, cases, { seed: 1, runs: Math.ceil(randomObjects / ways.length) }));
    for (let at = 0; at < objects.length; at += checks.batch) {
      const some = objects.slice(at, at + checks.batch).map((each) => from.rules.default(each));
      await ask(reviewOf(some, to.apiVersion));
    }
  }
}

/** Compares what a guard shows of objects that it sees for the first time with what the webhook alone shows. */
class Comparison {
  objects = 0;
  /** Objects that the webhook alone refuses, or answers with an object that an API server rejects. */
  refused = 0;
  /** Fields that the guard shows otherwise than the webhook alone, each with an object for the log. */
  readonly different = new Map<string, string>();
  readonly #guard: Ask;
  readonly #alone: Ask;
  readonly #subject: Subject;

  constructor(guard: Ask, alone: Ask, subject: Subject) {
    this.#subject = subject;
    this.#guard = guard;
    this.#alone = alone;
  }

  readonly ask: Ask = async (review) => {
    const read = parseJson(review);
    const sent = listAt(read, "request", "objects");
    const [behind, own] = await Promise.all([
      this.#guard(review),
      this.#own(isObject(read) ? read : {}, sent),
    ]);
    if (behind.state !== "answered") return behind;
    const shown = listAt(parsed(behind.text), "response", "convertedObjects");
    for (const [at, object] of sent.entries()) {
      const [view, expected] = [shown[at], own[at]];
      if (!isObject(object) || !isObject(view) || !isNew(object) || !this.#isDefaulted(object)) continue;
      if (!isObject(expected) || expected.apiVersion !== view.apiVersion) {
        this.refused++;
        continue;
      }
      this.objects++;
      const [here, there] = [leavesOf(view), leavesOf(expected)];
      // Success with an emptied object is not what the object is at that version.
      if (there.size === 0) continue;
      for (const [path, value] of there)
        if (here.get(path) !== value) this.#note(path, value, here.get(path), object);
      for (const [path, value] of here) if (!there.has(path)) this.#note(path, undefined, value, object);
    }
    return behind;
  };

  /** What the webhook answers for each object; undefined for one that it refuses, which spoils a review for all others. */
  async #own(review: JsonObject, objects: readonly Json[]): Promise<readonly (Json | undefined)[]> {
    const reply = await this.#alone(writeJson(set(review, "request", "objects", objects)));
    const text = reply.state === "answered" ? reply.text : "";
    const answers = listAt(parsed(text), "response", "convertedObjects");
    if (answers.length === objects.length) return answers;
    if (objects.length === 1) return [undefined];
    const middle = objects.length >> 1;
    const first = await this.#own(review, objects.slice(0, middle));
    return [...first, ...(await this.#own(review, objects.slice(middle)))];
  }

  /** Whether an API server may send an object: it fills in the defaults of each version. */
  #isDefaulted(object: JsonObject): boolean {
    const version = this.#subject.versions.find(({ apiVersion }) => apiVersion === object.apiVersion);
    return version !== undefined && equal(version.rules.default(object), object);
  }

  #note(path: string, expected: string | undefined, shown: string | undefined, object: JsonObject): void {
    const field = path.slice(1).replaceAll(/\[\d+\]/g, "[]");
    const line = `differs ${field} (at ${String(object.apiVersion)})`;
    if (this.different.size === 20 || this.different.has(line)) return;
    this.different.set(line, JSON.stringify(object));
    console.log(`${line}: ${shown} instead of ${expected}, of ${JSON.stringify(object)}`);
  }
}

function parsed(text: string): Json {
  return text.startsWith("{") ? parseJson(text) : null;
}

/** Whether an object has nothing of ours: neither a carrier nor what a webhook put into it. */
function isNew(object: Json): boolean {
  return get(object, "metadata", "annotations") === undefined;
}

/** The values of an object's fields that are not zero, by their paths. */
function leavesOf({
  apiVersion: _,
  kind: __,
  metadata: ___,
  ...object
}: JsonObject): ReadonlyMap<string, string> {
  const leaves = new Map<string, string>();
  const visit = (value: Json, path: string): void => {
    if (isArray(value)) for (const [at, item] of value.entries()) visit(item, `${path}[${at}]`);
    else if (isObject(value))
      for (const [name, inner] of Object.entries(value)) visit(inner, `${path}.${name}`);
    else if (value !== null && value !== "" && value !== 0 && value !== false)
      leaves.set(path, JSON.stringify(value));
  };
  visit(object, "");
  return leaves;
}

/** The findings without notes of what only an admission webhook could forbid or a default explains. */
function linesOf(findings: readonly Finding[]): readonly string[] {
  const reported = findings.filter(({ kind }) => !["added", "invalid", "kept by annotations"].includes(kind));
  return [...new Set(reported.map(lineOf))].toSorted();
}

function lineOf({ kind, check, place, versions, message, places }: Finding): string {
  const count = places.length > 1 ? ` and ${places.length - 1} below or beside it` : "";
  return `${kind} ${place === "" ? "the whole object" : place}${count} (${versions.join(" → ")}, ${check})${message === undefined ? "" : `: ${message}`}`;
}
