import { readFile } from "node:fs/promises";
import path from "node:path";
import { isDNS1123Subdomain } from "../apimachinery/names.ts";
import { readTarget, targetName } from "../cluster/api/ca-bundles.ts";
import type { Connection } from "../cluster/api/connection.ts";
import { messageOf, RejectedError, UsageError } from "../errors.ts";
import { get, type Json, type JsonObject } from "../json/json.ts";
import { installationLabel, installationOf, webhookNames } from "../manifests/installation.ts";
import type { BundleTarget } from "../manifests/targets.ts";

/** The name of an installation: the given one, else that of the project that the kinds belong to. Throws UsageError. */
export async function installationName(
  given: string | undefined,
  webhooks: readonly string[],
): Promise<string> {
  if (given === undefined) return projectName(path.resolve(webhooks[0] ?? ""));
  if (isDNS1123Subdomain(given) && given.length <= mostCharacters) return given;
  throw new UsageError(
    `--name ${given}: not a valid name of a webhook configuration; write it like antechamber, with at most ${mostCharacters} characters`,
  );
}

/** The name is also the value of a label. */
const mostCharacters = 63;

/** The name in the nearest package.json that has one. */
async function projectName(folder: string): Promise<string> {
  const name = await nameIn(path.join(folder, "package.json"));
  if (name !== undefined) return name;
  const parent = path.dirname(folder);
  return parent === folder ? defaultName : projectName(parent);
}

/** For kinds outside any project. */
const defaultName = "antechamber";

async function nameIn(file: string): Promise<string | undefined> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw new UsageError(`${file}: cannot be read: ${error.message}; pass --name <name>`);
  });
  const name = text === undefined ? undefined : get(parsed(text, file), "name");
  const clean = typeof name === "string" ? cleaned(name) : "";
  return clean === "" ? undefined : clean;
}

function parsed(text: string, file: string): Json {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = messageOf(error);
    throw new UsageError(`${file}: is not JSON: ${reason}; pass --name <name>`);
  }
}

/** A package's name as a DNS label: `@example/blinds` is example-blinds. */
export function cleaned(name: string): string {
  const label = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return label.slice(0, mostCharacters).replaceAll(/^-+|-+$/g, "");
}

/**
 * Throws RejectedError if objects of a cluster that have the kinds and names of generated ones belong to another installation.
 * Throws ApiServerError if they cannot be read.
 */
export async function rejectTakeover(
  connection: Connection,
  documents: readonly JsonObject[],
  name: string,
): Promise<void> {
  const own = new Set(documents.flatMap(webhookNames));
  const faults: string[] = [];
  for (const target of documents.map(targetOf)) {
    const object = await readTarget(connection, target);
    if (object !== undefined) faults.push(...faultsOfOwner(target, object, name, own));
  }
  if (faults.length > 0) throw new RejectedError(faults.join("\n"));
}

function targetOf(document: JsonObject): BundleTarget {
  // Only these three kinds are generated for both installations to share.
  return { kind: document.kind as BundleTarget["kind"], name: String(get(document, "metadata", "name")) };
}

function faultsOfOwner(
  target: BundleTarget,
  object: JsonObject,
  name: string,
  own: ReadonlySet<string>,
): readonly string[] {
  const owner = installationOf(object);
  if (owner !== undefined && owner !== name)
    return [
      `${targetName(target)}: belongs to the installation ${owner} (label ${installationLabel}), and this is ${name}; run the command in the project of ${owner}, pass --name ${owner}, or change the label if the object is to move`,
    ];
  const webhooks = webhookNames(object);
  if (webhooks.length === 0 || webhooks.some((each) => own.has(each))) return [];
  return [
    `${targetName(target)}: has ${webhooks.join(", ")} and no webhook of these kinds; another installation has the same name: pass --name <name>`,
  ];
}
