import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { type Comparison, compareSchemas } from "../../src/draft/compare.ts";
import { tallyOf } from "../../src/draft/tally.ts";
import { equal } from "../../src/json/equal.ts";
import { parseJson } from "../../src/json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject, textAt } from "../../src/json/json.ts";
import type { Kind } from "../../src/kind/kind.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { contentSchemaOf } from "../../src/laws/content-schema.ts";
import { valuesOf } from "../../src/laws/values.ts";
import {
  allTargets,
  isTargetBuilt,
  pluralOf,
  type RunningTarget,
  startTarget,
  type TargetName,
  targetFolder,
  targetModule,
  targetSources,
  type WebhookTarget,
} from "../cluster/webhook-targets.ts";
import { antechamber } from "../support/cli.ts";
import { imageIn, withoutEmpty } from "./fidelity.ts";

// node test/draft/evidence.ts: what drafts of `import` do with random objects, against the Go conversion of each project itself, both
// ways between neighbouring versions. It writes docs/evidence/import.md. It needs `npm run cluster:build -- --part targets`.

const objectsOfAWay = 250;
// The Go of some kinds refuses most of what their schemas allow.
const mostBatches = 8;
const page = "docs/evidence/import.md";

/** Kinds that a target converts beside those that its findings are recorded for. */
const more: Readonly<Partial<Record<TargetName, readonly string[]>>> = {
  "cluster-api": ["cluster.x-k8s.io_clusterclasses.yaml"],
};

const textsOfGo: ReadonlyMap<string, readonly Json[]> = new Map<string, readonly Json[]>([
  ["date-time", ["2026-03-01T06:45:00Z", "2024-02-29T23:59:59Z"]],
  ["duration", ["1h30m0s", "45s"]],
  ["quantity", ["220m", "3", "1500Mi"]],
  ["int-or-string", [8080, "http"]],
]);

// resource.Quantity, as controller-gen describes it.
const quantity = String.raw`^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`;

// The ends of paths of durations and times that schemas do not call so. Where one is another text, Go refuses the object. That of
// Shipwright drops the fields that it has not read, and reports success (ConvertFrom in pkg/apis/build/v1beta1/build_conversion.go).
const unsaid = [
  ["duration", /\.(?:timeout|timeouts\.\w+|holdTime|keepaliveTime|connectTime)$/],
  ["date-time", /\.(?:lastTransitionTime|startTime|completionTime)$/],
] as const;

/** Converts objects as a project does; undefined for one that it rejects. */
type Upstream = (
  kind: Kind,
  from: string,
  to: string,
  objects: readonly JsonObject[],
) => Promise<readonly (Json | undefined)[]>;

/** What became of the leaves of all objects of a kind. */
interface Row {
  readonly project: string;
  readonly kind: string;
  readonly versions: string;
  readonly fields: number;
  readonly passing: number;
  readonly rows: number;
  readonly guesses: number;
  readonly objects: number;
  readonly leaves: number;
  readonly right: number;
  /** Fields of either version that a row of the draft fills with another value than Go, and newer ones that Go alone fills, or fills for a zero value. */
  readonly wrong: readonly string[];
  readonly missing: readonly string[];
}

if (import.meta.main) await main();

async function main(): Promise<void> {
  const missing = allTargets.filter((each) => !isTargetBuilt(targetFolder(process.env, each.name), each));
  if (missing.length > 0)
    throw new Error(
      `${missing.map(({ name }) => name).join(", ")}: run \`npm run cluster:build -- --part targets\` once`,
    );
  const rows: Row[] = [];
  for (const target of allTargets) {
    const folder = moduleFolder(target);
    const files = [...target.crds, ...(more[target.name] ?? [])].map((file) =>
      path.join(folder, target.folder, target.fileOf?.(pluralOf(file)) ?? file),
    );
    rows.push(...(await withTarget(target.name, (upstream) => rowsOf(target.name, files, upstream))));
  }
  await writeFile(page, pageOf(rows));
}

/** The folder of the module that a target's CRDs are in. */
function moduleFolder(target: WebhookTarget): string {
  const args = ["mod", "download", "-json", targetModule(target)];
  const out = execFileSync("go", args, { cwd: targetSources(target.name), encoding: "utf8" });
  return textAt(parseJson(out), "Dir");
}

async function withTarget<T>(name: TargetName, run: (upstream: Upstream) => Promise<T>): Promise<T> {
  let target = await startTarget(name);
  let agent = agentOf(target);
  try {
    return await run(async (kind, from, to, objects) => {
      const converted: (Json | undefined)[] = [];
      // One at a time: a webhook refuses a review as a whole.
      for (const object of objects) {
        const answer = await asked(target.url, agent, named(object, kind, from), apiVersion(kind, to));
        converted.push(answer === "hung up" ? undefined : answer);
        // A panic only hangs up; memory that is exhausted ends the program.
        if (answer !== "hung up" || !(await hasEnded(target))) continue;
        agent.destroy();
        await target.stop();
        target = await startTarget(name);
        agent = agentOf(target);
      }
      return converted;
    });
  } finally {
    agent.destroy();
    await target.stop();
  }
}

function agentOf({ caFile }: RunningTarget): Agent {
  return new Agent({ ca: readFileSync(caFile, "utf8"), keepAlive: true });
}

function hasEnded({ ended }: RunningTarget): Promise<boolean> {
  return Promise.race([ended.then(() => true), setTimeout(500, false)]);
}

/** Asks a webhook for one object. */
function asked(
  url: string,
  agent: Agent,
  object: JsonObject,
  desired: string,
): Promise<Json | "hung up" | undefined> {
  const review = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "ConversionReview",
    request: { uid: "1", desiredAPIVersion: desired, objects: [object] },
  };
  return new Promise((resolve) => {
    const asking = request(
      url,
      { method: "POST", agent, headers: { "content-type": "application/json" } },
      (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part) => parts.push(part));
        response.on("end", () => {
          const text = Buffer.concat(parts).toString("utf8");
          const list =
            response.statusCode === 200 ? get(parseJson(text), "response", "convertedObjects") : undefined;
          resolve(isArray(list) ? list[0] : undefined);
        });
      },
    );
    asking.on("error", () => resolve("hung up"));
    asking.end(JSON.stringify(review));
  });
}

async function rowsOf(
  project: string,
  files: readonly string[],
  upstream: Upstream,
): Promise<readonly Row[]> {
  const root = await mkdtemp(path.join(tmpdir(), "antechamber-drafts-"));
  await writeFile(path.join(root, "package.json"), '{"type":"module"}');
  await antechamber(["import", ...files, "--out", path.join(root, "webhooks")]);
  const { all } = await loadKinds([path.join(root, "webhooks")]);
  const rows: Row[] = [];
  for (const kind of all)
    for (const [at, older] of kind.versions.slice(0, -1).entries())
      rows.push(...(await rowOf(project, kind, older.name, kind.versions[at + 1]?.name ?? "", upstream)));
  await rm(root, { recursive: true, force: true });
  return rows;
}

async function rowOf(
  project: string,
  kind: Kind,
  older: string,
  newer: string,
  upstream: Upstream,
): Promise<readonly Row[]> {
  const comparison = compareSchemas(schemaOf(kind, older), schemaOf(kind, newer), { older, newer });
  const [up, down] = [await wayOf(kind, older, newer, upstream), await wayOf(kind, newer, older, upstream)];
  if (up.objects + down.objects === 0) return [];
  const tally = tallyOf(comparison);
  const wrongOf = ({ others, values }: Way, side: "older" | "newer") => {
    const filled = filledBy(comparison, side).map((each) => {
      const written = each.replaceAll(/[^\w*]/g, String.raw`\$&`).replaceAll("*", ".+");
      return new RegExp(`^${written}(?:$|[.[])`);
    });
    return [...others]
      .filter(([field]) => filled.some((each) => each.test(field)))
      .map(([field, count]) => `\`${field}\` in ${count} of ${values.get(field)} values`);
  };
  return [
    {
      ...{ project, kind: kind.definition.kind, versions: `${older} to ${newer}` },
      ...{ fields: tally.all, passing: tally.passing, rows: tally.rows, guesses: tally.guesses },
      objects: up.objects + down.objects,
      leaves: up.leaves + down.leaves,
      right: up.right + down.right,
      wrong: [...wrongOf(up, "newer"), ...wrongOf(down, "older")],
      missing: up.missing.map((field) => `\`${field}\``),
    },
  ];
}

/** The fields of a version that rows of a draft fill, from the root; `[]` is an item of a list, `*` a key of a map. */
function filledBy(comparison: Comparison, side: "older" | "newer", place = ""): readonly string[] {
  const own = comparison.proposals
    .filter(({ isCertain }) => isCertain)
    .map((each) => `${place}${each[side].path.join(".")}`);
  const below = comparison.inner.flatMap((inner) => {
    const { path: steps, sort } = inner[side];
    const suffix = sort === "list" ? "[]" : sort === "map" ? ".*" : "";
    return filledBy(inner.below, side, `${place}${steps.join(".")}${suffix}.`);
  });
  return [...own, ...below];
}

/** What became of the leaves of the objects of a version. `others` counts by field where the draft writes another value, of `values`. */
interface Way {
  readonly objects: number;
  readonly leaves: number;
  readonly right: number;
  readonly others: ReadonlyMap<string, number>;
  readonly values: ReadonlyMap<string, number>;
  readonly missing: readonly string[];
}

async function wayOf(kind: Kind, from: string, to: string, upstream: Upstream): Promise<Way> {
  const arbitrary = valuesOf(readByGo(schemaOf(kind, from)), "", new Map(), "valid");
  const answers: (readonly [JsonObject, Json])[] = [];
  for (let seed = 1; seed <= mostBatches && answers.length < objectsOfAWay; seed++) {
    const objects = fc
      .sample(arbitrary, { numRuns: objectsOfAWay, seed })
      .map((each) => withoutEmpty(each))
      .filter((each): each is JsonObject => isObject(each) && Object.keys(each).length > 0);
    const theirs = await upstream(kind, from, to, objects);
    answers.push(
      ...objects.flatMap((object, at) => {
        const image = theirs[at];
        return image === undefined ? [] : [[object, image] as const];
      }),
    );
    // A version that the webhook does not know.
    if (answers.length === 0) break;
  }
  const taken = answers.slice(0, objectsOfAWay);
  let [leaves, right] = [0, 0];
  const [others, values, missing] = [new Map<string, number>(), new Map<string, number>(), new Set<string>()];
  const count = (counts: Map<string, number>, field: string) =>
    counts.set(field, (counts.get(field) ?? 0) + 1);
  for (const [object, theirImage] of taken) {
    const given = leavesOf(object);
    const [draft, go] = [leavesOf(imageIn(kind.chain, object, from, to)), leavesOf(contentOf(theirImage))];
    for (const place of new Set([...draft.keys(), ...go.keys()])) {
      const [mine, other] = [draft.get(place), go.get(place)];
      // Go writes zero values of fields that the source does not have.
      if (mine === undefined && isZero(other) && !given.has(place)) continue;
      if (other === undefined && isZero(mine)) continue;
      leaves++;
      const field = place.replaceAll(/\[\d+\]/g, "[]");
      if (mine !== undefined) count(values, field);
      if (mine !== undefined && other !== undefined && equal(mine, other)) right++;
      else if (mine === undefined || isZero(mine)) missing.add(field);
      else count(others, field);
    }
  }
  return { objects: taken.length, leaves, right, others, values, missing: [...missing] };
}

/**
 * A schema of which each text is one that Go reads and writes again. Its times have whole seconds, and the first second of year 1 is no
 * time (`metav1.Time`). A quantity has one notation of many (`resource.Quantity`),
 * and a number where a text is allowed has 32 bits (`intstr.IntOrString`). An API server refuses a text of the format `duration` that is none.
 */
function readByGo(schema: JsonObject, place = ""): JsonObject {
  const below = (name: string, step: string) => {
    const inner = schema[name];
    return isObject(inner) ? { [name]: readByGo(inner, `${place}${step}`) } : {};
  };
  const fields = Object.entries(isObject(schema.properties) ? schema.properties : {}).map(
    ([name, field]) => [name, isObject(field) ? readByGo(field, `${place}.${name}`) : field] as const,
  );
  const isEither = schema["x-kubernetes-int-or-string"] === true;
  const either = schema.pattern === quantity ? "quantity" : isEither ? "int-or-string" : undefined;
  const isText = schema.type === "string" && schema.format === undefined && schema.pattern === undefined;
  const unsaidFormat = isText ? unsaid.find(([, ends]) => ends.test(place))?.[0] : undefined;
  const texts = textsOfGo.get(unsaidFormat ?? either ?? String(schema.format));
  // What a schema leaves open has a type in Go all the same. Each of these reads a text, or an object without fields.
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true && fields.length === 0;
  if (isOpen) return schema.type === "object" ? { type: "object" } : { type: "string", enum: ["example"] };
  return {
    ...schema,
    ...(texts === undefined ? {} : { enum: texts }),
    ...(fields.length === 0 ? {} : { properties: Object.fromEntries(fields) }),
    ...below("items", "[]"),
    ...below("additionalProperties", ".*"),
  };
}

/** Whether a value is a zero of Go; that of a quantity is a text. */
function isZero(value: Json | undefined): boolean {
  return value === "" || value === "0" || value === 0 || value === false || value === null;
}

function leavesOf(value: Json, place = ""): ReadonlyMap<string, Json> {
  if (isArray(value))
    return new Map(value.flatMap((each, index) => [...leavesOf(each, `${place}[${index}]`)]));
  if (isObject(value))
    return new Map(
      Object.entries(value).flatMap(([name, each]) => [
        ...leavesOf(each, place === "" ? name : `${place}.${name}`),
      ]),
    );
  return new Map([[place, value]]);
}

function contentOf(object: Json): Json {
  if (!isObject(object)) return object;
  const { apiVersion: _, kind: __, metadata: ___, ...content } = object;
  return withoutEmpty(content);
}

function schemaOf(kind: Kind, version: string): JsonObject {
  return contentSchemaOf(kind.versions.find(({ name }) => name === version)?.entry ?? {});
}

function apiVersion(kind: Kind, version: string): string {
  return `${kind.definition.group}/${version}`;
}

function named(content: JsonObject, kind: Kind, version: string): JsonObject {
  return {
    apiVersion: apiVersion(kind, version),
    kind: kind.definition.kind,
    metadata: { name: "example" },
    ...content,
  };
}

function pageOf(rows: readonly Row[]): string {
  const sum = (key: "leaves" | "right" | "objects") => rows.reduce((total, row) => total + row[key], 0);
  const lines = rows.map(
    ({
      project,
      kind,
      versions,
      passing,
      fields,
      rows: count,
      guesses,
      objects,
      leaves,
      right,
      wrong,
      missing,
    }) =>
      `| ${project} | \`${kind}\` | ${versions} | ${passing} of ${fields} | ${count} | ${guesses} | ${objects} | ${percent(right, leaves)} of ${leaves.toLocaleString("en")} | ${listed(wrong)} | ${listed(missing)} |`,
  );
  return `# Drafts of \`import\` against the projects' own conversions

For each pair of neighbouring versions, \`import\` drafts a lens from the CRD alone, which is not completed.
Random objects that the schema allows are then converted by the draft, and by the Go code of the project itself, both ways.
A leaf is right if both write the same value at the same place.
A row is wrong if it fills a field of either version with a value that Go does not write there.
Zero values that Go adds by itself do not count.
Times, durations, quantities and ports are written as Go writes them. What a schema leaves open is a text or an empty object.

| project | kind | versions | fields that pass | in rows | guessed | objects | leaves right | wrong rows | fields that only Go fills |
|---|---|---|---|---|---|---|---|---|---|
${lines.join("\n")}
| all | | | | | | ${sum("objects").toLocaleString("en")} | ${percent(sum("right"), sum("leaves"))} of ${sum("leaves").toLocaleString("en")} | | |

\`npm exec -- node test/draft/evidence.ts\` makes this page anew. It draws objects until the Go code has converted 250 each way, at most eight times as many, since it refuses some.
`;
}

function percent(part: number, all: number): string {
  return all === 0 ? "–" : `${((100 * part) / all).toFixed(1)} %`;
}

function listed(fields: readonly string[]): string {
  const shown = fields.slice(0, 3).join(", ");
  return fields.length === 0
    ? "none"
    : `${shown}${fields.length > 3 ? ` and ${fields.length - 3} more` : ""}`;
}
