import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { writeJson } from "../../src/json/exact.ts";
import {
  get,
  isArray,
  isExactNumber,
  isObject,
  type Json,
  type JsonObject,
  objectAt,
  textAt,
} from "../../src/json/json.ts";
import { readSteps, type Step } from "../../src/play/life/steps.ts";
import { type Example, stateOf, writeLink } from "../../src/play/state.ts";
import { readYaml, writeYaml } from "../../src/yaml/yaml.ts";

/** What clients do to an object, in a file; beside it the answers of a real API server. */
export interface Story {
  /** The name of its file. */
  readonly name: string;
  readonly title: string;
  /** `Room.home.antechamber.dev`. */
  readonly kind: string;
  /** The page that has it as an example. */
  readonly docs?: string;
  readonly steps: readonly Step[];
}

/** What a step came to: the answer, and the object at each version where it is another than before. */
export interface Outcome {
  readonly code: number;
  readonly message?: string;
  readonly warnings?: readonly string[];
  readonly views: Readonly<Record<string, Json>>;
}

const folder = "test/cases/stories";

/** The folders of the kinds in stories. */
export const storyKinds = ["webhooks", "examples/play", "test/kinds/office/filter", "test/kinds/office/plan"];

/** All stories, in order. */
export const stories: readonly Story[] = readdirSync(folder)
  .filter((file) => file.endsWith(".yaml"))
  .sort()
  .map((file) => {
    const [document] = readYaml(readFileSync(path.join(folder, file), "utf8"));
    const steps = readSteps(get(document?.value, "steps"));
    if (typeof steps === "string") throw new Error(`${file}: ${steps}`);
    const [title, kind, docs] = ["title", "kind", "docs"].map((key) => textAt(document?.value, key));
    return {
      name: file.replace(".yaml", ""),
      title: title ?? "",
      kind: kind ?? "",
      ...(docs ? { docs } : {}),
      steps,
    };
  });

/** The file with what a real API server answered. */
export function recordingOf({ name }: Story): string {
  return path.join(folder, `${name}.recorded.json`);
}

/** What a step came to, and the object at each version then. */
export interface Taken {
  readonly code: number;
  readonly message?: string;
  readonly warnings: readonly string[];
  readonly views: Readonly<Record<string, JsonObject>>;
}

/**
 * Steps as they are recorded and compared: versions of the resource are counted, managers are in order and without times, and a
 * view that did not change is left out.
 */
export function outcomesOf(taken: readonly Taken[]): readonly Outcome[] {
  const revisions = new Map<string, string>();
  let before: Readonly<Record<string, string>> = {};
  return taken.map(({ code, message, warnings, views }) => {
    const plain = Object.entries(views).map(
      ([version, view]) => [version, plainView(view, revisions)] as const,
    );
    const texts = Object.fromEntries(plain.map(([version, view]) => [version, JSON.stringify(view)]));
    const gone = Object.keys(before).filter((version) => !Object.hasOwn(texts, version));
    const changed = plain.filter(([version]) => texts[version] !== before[version]);
    before = texts;
    return {
      code,
      ...(message === undefined ? {} : { message }),
      ...(warnings.length === 0 ? {} : { warnings }),
      views: Object.fromEntries([...changed, ...gone.map((version) => [version, null] as const)]),
    };
  });
}

/** The outcomes as the text of a file. */
export function textOf(outcomes: readonly Outcome[]): string {
  return `${JSON.stringify(outcomes, undefined, 1)}\n`;
}

function plainView(view: JsonObject, revisions: Map<string, string>): JsonObject {
  const metadata = objectAt(view.metadata);
  const revision = textAt(metadata, "resourceVersion");
  if (!revisions.has(revision)) revisions.set(revision, String(revisions.size + 1));
  const { managedFields } = metadata;
  const entries = (isArray(managedFields) ? managedFields : [])
    .filter(isObject)
    .map(({ time: _, ...entry }) => entry);
  const managers =
    entries.length === 0 ? {} : { managedFields: entries.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1)) };
  const { managedFields: _, ...others } = metadata;
  return sortedKeys({
    ...view,
    metadata: { ...others, resourceVersion: revisions.get(revision) ?? "", ...managers },
  }) as JsonObject;
}

function orderOf(entry: JsonObject): string {
  return JSON.stringify(["operation", "manager", "apiVersion", "subresource"].map((key) => entry[key] ?? ""));
}

function sortedKeys(value: Json): Json {
  if (isArray(value)) return value.map(sortedKeys);
  if (isExactNumber(value) || !isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, below]) => [key, sortedKeys(below)]),
  );
}

/** The link to a story of a kind in the gallery, as a page has it while `antechamber play` runs. */
export function linkOf({ kind, steps }: Story, example: Example): string {
  const [first] = steps;
  const object = first !== undefined && "create" in first ? first.create.object : {};
  const at = textAt(object, "apiVersion").split("/").at(-1) ?? "";
  const life = { steps: writeJson(steps as unknown as Json), shown: 0, managers: false };
  const state = { ...stateOf(example), at, text: writeYaml(object), parts: { life } };
  if (!kind.endsWith(textAt(object, "apiVersion").split("/")[0] ?? ""))
    throw new Error(`${kind} is of another group`);
  return writeLink(state);
}
