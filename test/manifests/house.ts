import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { manifests } from "../../src/cli/manifests/run.ts";
import { get, type JsonObject } from "../../src/json/json.ts";
import { readYaml, writeYaml } from "../../src/yaml/yaml.ts";

/** A folder of one kind, `Blind` with the one version v1, that goes when the test ends. */
export interface House {
  readonly webhooks: string;
  readonly kindFolder: string;
  readonly out: string;
  /** Runs the command on the kind; gives back what it printed, and its notes with the house's path left out. */
  readonly run: (options?: Partial<Options>) => Promise<{ readonly text: string; readonly notes: string[] }>;
}

type Options = Parameters<typeof manifests>[0];

/** What `antechamber manifests` is told when it is told nothing. */
export const usual: Options = {
  webhooks: ["webhooks"],
  types: false,
  check: false,
  service: "antechamber-system/antechamber",
  name: "antechamber",
};

/** Makes a house; the schema is the kind's `openAPIV3Schema`, the content is that of its example. */
export async function house(
  schema: JsonObject = { type: "object" },
  content: JsonObject = {},
): Promise<House> {
  const root = await mkdtemp(path.join(tmpdir(), "antechamber-manifests-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const webhooks = path.join(root, "webhooks");
  const kindFolder = path.join(webhooks, "home", "blind");
  await mkdir(path.join(kindFolder, "examples"), { recursive: true });
  const names = { group: "home.example.dev", kind: "Blind", plural: "blinds", scope: "Cluster" };
  const definition = JSON.stringify({ ...names, shortNames: ["bl"], versions: [{ name: "v1" }] });
  const entry = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } };
  const example = { apiVersion: "home.example.dev/v1", kind: "Blind", metadata: { name: "one" }, ...content };
  await writeFile(path.join(kindFolder, "kind.ts"), `export default ${definition};\n`);
  await writeFile(path.join(kindFolder, "v1.yaml"), writeYaml(entry));
  await writeFile(path.join(kindFolder, "examples", "one.yaml"), writeYaml(example));
  return { webhooks, kindFolder, out: path.join(root, "out"), run: (options) => run(root, options) };
}

/** The documents of a printed or written text. */
export function documentsOf(text: string): readonly JsonObject[] {
  return readYaml(text).map(({ value }) => value as JsonObject);
}

/** The document with a kind and a name. */
export function documentOf(text: string, kind: string, name: string): JsonObject {
  const found = documentsOf(text).find(
    (each) => each.kind === kind && get(each, "metadata", "name") === name,
  );
  if (found === undefined) throw new Error(`no ${kind} ${name} among the documents`);
  return found;
}

async function run(root: string, options: Partial<Options> = {}): Promise<{ text: string; notes: string[] }> {
  let text = "";
  const notes: string[] = [];
  const io = {
    readStdin: () => Promise.reject(new Error("nothing is read")),
    print: (line: string) => {
      text += line;
    },
    note: (line: string) =>
      notes.push(line.replace(new RegExp(`(\\.\\./|/)\\S*${path.basename(root)}/`), "")),
  };
  await manifests({ ...usual, webhooks: [path.join(root, "webhooks")], ...options }, io);
  return { text, notes };
}
