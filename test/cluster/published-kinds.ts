import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../../src/json/json.ts";
import { readYaml } from "../../src/yaml/yaml.ts";

/** A kind whose lens is ours and whose schemas are another project's. */
interface PublishedKind {
  /** Its folder in `test/cases/published`. */
  readonly folder: string;
  /** The file of its CRD in the cache. */
  readonly crd: string;
  readonly versions: readonly string[];
  /** What our version of its schema leaves out or adds, and why. */
  readonly adapt?: (entry: JsonObject) => JsonObject;
}

const clusterApi = ["v1beta1", "v1beta2"];

const kinds: readonly PublishedKind[] = [
  { folder: "cluster", crd: "clusters.yaml", versions: clusterApi },
  { folder: "cluster-class", crd: "clusterclasses.yaml", versions: clusterApi },
  { folder: "machine", crd: "machines.yaml", versions: clusterApi },
  { folder: "machine-deployment", crd: "machinedeployments.yaml", versions: clusterApi },
  { folder: "certificate", crd: "certificates.yaml", versions: ["v1alpha2", "v1alpha3", "v1beta1", "v1"] },
  {
    folder: "alertmanager-config",
    crd: "alertmanagerconfigs.yaml",
    versions: ["v1alpha1", "v1beta1"],
    adapt: (entry) => withStatus(withThreeReceivers(entry)),
  },
];

/** Folders of kinds, as `--webhooks` takes them. */
export interface PublishedKinds {
  readonly folder: string;
  readonly remove: () => Promise<void>;
}

/** Makes a folder with a kind for each, of its lens in this checkout and of its CRD in the cache. */
export async function publishedKinds(crds: string): Promise<PublishedKinds> {
  const folder = await mkdtemp(join(tmpdir(), "antechamber-published-"));
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  for (const kind of kinds) await make(join(folder, "published", kind.folder), crds, kind);
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

async function make(folder: string, crds: string, kind: PublishedKind): Promise<void> {
  const sources = join(import.meta.dirname, "../cases/published", kind.folder);
  await mkdir(folder, { recursive: true });
  await cp(join(sources, "examples"), join(folder, "examples"), { recursive: true });
  const definition = JSON.stringify(pathToFileURL(join(sources, "kind.ts")).href);
  await writeFile(join(folder, "kind.js"), `export { default } from ${definition};\n`);
  const [document] = readYaml(await readFile(join(crds, kind.crd), "utf8"));
  for (const version of kind.versions) {
    const entry = withoutDescriptions(entryOf(document?.value, version, kind.crd)) as JsonObject;
    // JSON is YAML, too.
    await writeFile(join(folder, `${version}.yaml`), JSON.stringify(kind.adapt?.(entry) ?? entry));
  }
}

function entryOf(crd: Json | undefined, version: string, file: string): JsonObject {
  const versions = get(crd, "spec", "versions");
  const found = (isArray(versions) ? versions : []).find((entry) => get(entry, "name") === version);
  if (!isObject(found)) throw new Error(`${file} has no version ${version}`);
  return found;
}

/** They are most of the text, and nothing reads them. */
function withoutDescriptions(value: Json): Json {
  if (isArray(value)) return value.map(withoutDescriptions);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, each]) => name !== "description" || typeof each !== "string")
      .map(([name, each]) => [name, withoutDescriptions(each)]),
  );
}

/** The CRD has no status, which docs/explanation/conversion.md advises every kind to have. */
function withStatus(entry: JsonObject): JsonObject {
  const status = { type: "object", properties: { observedGeneration: { type: "integer", format: "int64" } } };
  const withField = changedAt(entry, ["schema", "openAPIV3Schema", "properties"], (all) => ({
    ...all,
    status,
  }));
  return { ...withField, subresources: { status: {} } };
}

/** Three of sixteen sorts of receivers: all are alike, and each takes a hundred fields for its HTTP client. */
function withThreeReceivers(entry: JsonObject): JsonObject {
  const kept = ["name", "slackConfigs", "opsgenieConfigs", "webhookConfigs"];
  const path = [
    "schema",
    "openAPIV3Schema",
    "properties",
    "spec",
    "properties",
    "receivers",
    "items",
    "properties",
  ];
  return changedAt(entry, path, (receivers) =>
    Object.fromEntries(Object.entries(receivers).filter(([name]) => kept.includes(name))),
  );
}

function changedAt(
  object: JsonObject,
  [name, ...rest]: readonly string[],
  change: (object: JsonObject) => JsonObject,
): JsonObject {
  if (name === undefined) return change(object);
  const inner = get(object, name);
  return isObject(inner) ? set(object, name, changedAt(inner, rest, change)) : object;
}
