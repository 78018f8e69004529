import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { type Comparison, compareSchemas } from "../../src/draft/compare.ts";
import { tallyOf } from "../../src/draft/tally.ts";
import { equal } from "../../src/json/equal.ts";
import { parseJson } from "../../src/json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../../src/json/json.ts";
import type { Kind } from "../../src/kind/kind.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { contentSchemaOf } from "../../src/laws/content-schema.ts";
import { valuesOf } from "../../src/laws/values.ts";
import { findPublished, publishedLeftOut } from "../cluster/published.ts";
import {
  areTargetsBuilt,
  startTarget,
  type TargetName,
  targetFolder,
  targetsLeftOut,
  webhookTargets,
} from "../cluster/webhook-targets.ts";
import { antechamber } from "../support/cli.ts";
import { imageIn, withoutEmpty } from "./fidelity.ts";

// node test/draft/evidence.ts: what drafts of `import` do with random objects, against the Go conversion of each project itself, both
// ways between neighbouring versions. It writes docs/evidence/import.md. The programs of test/draft/upstream are built, which takes minutes.

const objectsOfAWay = 250;
const page = "docs/evidence/import.md";

const textsOfGo: ReadonlyMap<string, readonly string[]> = new Map([
  ["date-time", ["2026-03-01T06:45:00Z", "2024-02-29T23:59:59Z"]],
  ["duration", ["1h30m0s", "45s"]],
]);

// Durations that the schema does not call so, both of Shipwright's Build. Where one is another text, its Go writes an error into its log,
// drops the fields that it has not read, and reports success (ConvertFrom in pkg/apis/build/v1beta1/build_conversion.go).
const unsaid: ReadonlySet<string> = new Set([".spec.sources[].timeout", ".spec.source.local.timeout"]);

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
  /** Fields that a row of the draft fills with another value than Go, and those that Go alone fills. */
  readonly wrong: readonly string[];
  readonly missing: readonly string[];
}

if (import.meta.main) await main();

async function main(): Promise<void> {
  const published = findPublished();
  if (published === undefined) throw new Error(publishedLeftOut);
  if (!areTargetsBuilt()) throw new Error(targetsLeftOut);
  const rows: Row[] = [];
  for (const { name, crds } of webhookTargets) {
    const files = crds.map((file) => path.join(targetFolder(process.env, name), file));
    rows.push(...(await withTarget(name, (upstream) => rowsOf(name, files, upstream))));
  }
  rows.push(...(await withPrograms(published)));
  await writeFile(page, pageOf(rows));
}

async function withTarget<T>(name: TargetName, run: (upstream: Upstream) => Promise<T>): Promise<T> {
  const target = await startTarget(name);
  const agent = new Agent({ ca: readFileSync(target.caFile, "utf8"), keepAlive: true });
  try {
    return await run(async (kind, from, to, objects) => {
      const converted: (Json | undefined)[] = [];
      // One at a time: a webhook refuses a review as a whole.
      for (const object of objects)
        converted.push(await asked(target.url, agent, named(object, kind, from), apiVersion(kind, to)));
      return converted;
    });
  } finally {
    agent.destroy();
    await target.stop();
  }
}

/** Asks a webhook for one object. */
function asked(url: string, agent: Agent, object: JsonObject, desired: string): Promise<Json | undefined> {
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
    // A Go program that panics hangs up.
    asking.on("error", () => resolve(undefined));
    asking.end(JSON.stringify(review));
  });
}

/** The projects whose conversion is a program that reads lines. */
async function withPrograms(published: string): Promise<readonly Row[]> {
  const cwd = path.join(import.meta.dirname, "upstream");
  const root = await mkdtemp(path.join(tmpdir(), "antechamber-evidence-"));
  const rows: Row[] = [];
  const files = {
    "cluster-api": ["clusters", "clusterclasses", "machines", "machinedeployments"],
    "prometheus-operator": ["alertmanagerconfigs"],
  };
  for (const [name, crds] of Object.entries(files)) {
    const program = path.join(root, name);
    execFileSync("go", ["build", "-p", "1", "-o", program, `./${name}`], { cwd, stdio: "inherit" });
    const upstream: Upstream = async (kind, from, to, objects) => {
      // The programs know the newest versions alone.
      if ([from, to].some((each) => /^v1alpha[34]$/.test(each))) return [];
      const input = objects
        .map(
          (each) =>
            `${JSON.stringify({ kind: kind.definition.kind, to, object: named(each, kind, from) })}\n`,
        )
        .join("");
      const { stdout } = spawnSync(program, { input, encoding: "utf8", maxBuffer: 2 ** 30 });
      const lines = stdout
        .trimEnd()
        .split("\n")
        .map((line) => parseJson(line));
      return objects.map((_, index) => (get(lines[index], "error") === undefined ? lines[index] : undefined));
    };
    rows.push(
      ...(await rowsOf(
        name,
        crds.map((crd) => path.join(published, `${crd}.yaml`)),
        upstream,
      )),
    );
  }
  await rm(root, { recursive: true, force: true });
  return rows;
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
  const filled = new Set(newerFieldsOf(comparison));
  const tally = tallyOf(comparison);
  const isOfRow = (field: string) =>
    [...filled].some(
      (each) => field === each || field.startsWith(`${each}.`) || field.startsWith(`${each}[`),
    );
  return [
    {
      ...{ project, kind: kind.definition.kind, versions: `${older} to ${newer}` },
      ...{ fields: tally.all, passing: tally.passing, rows: tally.rows, guesses: tally.guesses },
      objects: up.objects + down.objects,
      leaves: up.leaves + down.leaves,
      right: up.right + down.right,
      wrong: up.others.filter(isOfRow),
      missing: up.missing,
    },
  ];
}

/** The newer fields that rows of a draft fill, from the root. */
function newerFieldsOf(comparison: Comparison, place = ""): readonly string[] {
  const own = comparison.proposals
    .filter(({ isCertain }) => isCertain)
    .map(({ newer }) => `${place}${newer.path.join(".")}`);
  const below = comparison.inner.flatMap(({ newer, below: inner }) =>
    newerFieldsOf(inner, `${place}${newer.path.join(".")}${newer.sort === "list" ? "[]" : ""}.`),
  );
  return [...own, ...below];
}

async function wayOf(kind: Kind, from: string, to: string, upstream: Upstream) {
  const drawn = fc.sample(valuesOf(readByGo(schemaOf(kind, from)), "", new Map(), "valid"), {
    numRuns: objectsOfAWay,
    seed: 1,
  });
  const objects = drawn
    .map((each) => withoutEmpty(each))
    .filter((each): each is JsonObject => isObject(each) && Object.keys(each).length > 0);
  const theirs = await upstream(kind, from, to, objects);
  let [leaves, right, converted] = [0, 0, 0];
  const [others, missing] = [new Set<string>(), new Set<string>()];
  for (const [index, object] of objects.entries()) {
    const theirImage = theirs[index];
    if (theirImage === undefined) continue;
    converted++;
    const given = leavesOf(object);
    const [draft, go] = [leavesOf(imageIn(kind.chain, object, from, to)), leavesOf(contentOf(theirImage))];
    for (const place of new Set([...draft.keys(), ...go.keys()])) {
      const [mine, other] = [draft.get(place), go.get(place)];
      // Go writes zero values of fields that the source does not have.
      if (mine === undefined && isZero(other) && !given.has(place)) continue;
      if (other === undefined && isZero(mine)) continue;
      leaves++;
      const field = place.replaceAll(/\[\d+\]/g, "[]");
      if (mine !== undefined && other !== undefined && equal(mine, other)) right++;
      else (mine === undefined ? missing : others).add(field);
    }
  }
  return { objects: converted, leaves, right, others: [...others], missing: [...missing] };
}

/**
 * A schema of which each text is one that Go reads and writes again. Its times have whole seconds, and the first second of year 1 is no
 * time (`metav1.Time`). An API server refuses a text of the format `duration` that is none.
 */
function readByGo(schema: JsonObject, place = ""): JsonObject {
  const below = (name: string, step: string) => {
    const inner = schema[name];
    return isObject(inner) ? { [name]: readByGo(inner, `${place}${step}`) } : {};
  };
  const fields = Object.entries(isObject(schema.properties) ? schema.properties : {}).map(
    ([name, field]) => [name, isObject(field) ? readByGo(field, `${place}.${name}`) : field] as const,
  );
  const texts = textsOfGo.get(unsaid.has(place) ? "duration" : String(schema.format));
  return {
    ...schema,
    ...(texts === undefined ? {} : { enum: texts }),
    ...(fields.length === 0 ? {} : { properties: Object.fromEntries(fields) }),
    ...below("items", "[]"),
    ...below("additionalProperties", ".*"),
  };
}

function isZero(value: Json | undefined): boolean {
  return value === "" || value === 0 || value === false || value === null;
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
Zero values that Go adds by itself do not count.
Texts of times have whole seconds, as Go writes them, and texts of durations are durations.

| project | kind | versions | fields that pass | in rows | guessed | objects | leaves right | wrong rows | fields that only Go fills |
|---|---|---|---|---|---|---|---|---|---|
${lines.join("\n")}
| all | | | | | | ${sum("objects").toLocaleString("en")} | ${Math.round((100 * sum("right")) / sum("leaves"))} % of ${sum("leaves").toLocaleString("en")} | | |

\`npm exec -- node test/draft/evidence.ts\` makes this page anew. Objects that the Go code refuses are left out.
`;
}

function percent(part: number, all: number): string {
  return all === 0 ? "–" : `${((100 * part) / all).toFixed(1)} %`;
}

function listed(fields: readonly string[]): string {
  const shown = fields
    .slice(0, 3)
    .map((field) => `\`${field}\``)
    .join(", ");
  return fields.length === 0
    ? "none"
    : `${shown}${fields.length > 3 ? ` and ${fields.length - 3} more` : ""}`;
}
