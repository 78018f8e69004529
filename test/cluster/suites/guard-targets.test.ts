import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { type Ask, type Checks, checkKind, type Finding, subjectOf } from "../../../src/checks/index.ts";
import { webhookClient } from "../../../src/cluster/api/webhook-client.ts";
import { parseJson } from "../../../src/json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject, listAt } from "../../../src/json/json.ts";
import { readYaml } from "../../../src/yaml/yaml.ts";
import { guarded, withStored } from "../../guard/guarded.ts";
import { compareFindings } from "../target-findings.ts";
import type { RunningTarget } from "../webhook-targets.ts";

// What `verify --url` finds of other projects' webhooks behind the guard, beside what it finds of them alone
// (test/cases/webhook-findings.yaml). RECORD=1 writes it.
compareFindings("test/cases/guard-findings.yaml", behindGuard);

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

async function behindGuard(target: RunningTarget, plural: string): Promise<readonly string[]> {
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
  const guard = guarded(client, {
    crd: withStored(crd),
    cache: 64 * 1024 ** 2,
    ...(hub === undefined ? {} : { hub }),
  });
  const compared = new Comparison(guard.ask, client.post);
  const { findings } = await checkKind(read.subject, compared.ask, checks);
  client.close();
  // Each view is the upstream's own, but for zero values.
  expect(compared.different).toEqual([]);
  expect(compared.objects).toBeGreaterThan(100);
  return linesOf(findings);
}

/** Compares what a guard shows of objects that it sees for the first time with what the webhook alone shows. */
class Comparison {
  objects = 0;
  readonly different: string[] = [];
  readonly #guard: Ask;
  readonly #alone: Ask;

  constructor(guard: Ask, alone: Ask) {
    this.#guard = guard;
    this.#alone = alone;
  }

  readonly ask: Ask = async (review) => {
    const [behind, alone] = await Promise.all([this.#guard(review), this.#alone(review)]);
    if (behind.state !== "answered" || alone.state !== "answered") return behind;
    const [sent, shown, own] = [
      listAt(parseJson(review), "request", "objects"),
      ...[behind, alone].map(({ text }) => listAt(parsed(text), "response", "convertedObjects")),
    ];
    for (const [at, object] of (sent ?? []).entries()) {
      const [view, expected] = [shown?.[at], own?.[at]];
      if (!isNew(object) || !isObject(view) || !isObject(expected)) continue;
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

  #note(path: string, expected: string | undefined, shown: string | undefined, object: Json): void {
    if (this.different.length < 20)
      this.different.push(
        `${path}: ${shown} instead of ${expected}, of ${JSON.stringify(object).slice(0, 600)}`,
      );
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

function lineOf({ kind, check, place, versions, message }: Finding): string {
  return `${kind} ${place === "" ? "the whole object" : place} (${versions.join(" → ")}, ${check})${message === undefined ? "" : `: ${message}`}`;
}
