import { existsSync } from "node:fs";
import type { Connection } from "../cluster/api/connection.ts";
import { ApiServerError, readCrd, sentenceOf } from "../cluster/api/requests.ts";
import { UsageError } from "../errors.ts";
import { type Json, type JsonObject, listAt, textAt } from "../json/json.ts";
import type { Kind, Kinds } from "../kind/kind.ts";
import { kindsOf, loadKinds } from "../kind/load-kinds.ts";
import { crdName } from "../manifests/crd.ts";
import { projectWebhooks } from "./options.ts";
import { asUsage } from "./with-cluster.ts";

/** The kinds of folders; none outside a project, if no folder was named. */
export async function kindsIfAny(folders: readonly string[]): Promise<Kinds> {
  const isDefault = folders.length === 1 && folders[0] === projectWebhooks;
  return isDefault && !existsSync(projectWebhooks) ? kindsOf([], []) : loadKinds(folders);
}

/**
 * The names of the CRDs that words mean: kinds of the project, and any other CRD of the cluster; each by its name, plural,
 * singular, short name or kind. Throws UsageError.
 */
export async function crdNames(
  words: readonly string[],
  kinds: readonly Kind[],
  connection: Connection,
): Promise<readonly string[]> {
  const names: string[] = [];
  for (const word of words)
    names.push(ofProject(word, kinds) ?? (await ofCluster(word, kinds, connection).catch(asUsage)));
  return [...new Set(names)];
}

/** A CRD of the cluster by its name. Throws UsageError if there is none, ApiServerError. */
export async function crdNamed(name: string, connection: Connection): Promise<JsonObject> {
  const crd = await readCrd(connection, name);
  if (crd === undefined) throw new UsageError(`${name}: no such CRD in ${connection.server}`);
  return crd;
}

function ofProject(word: string, kinds: readonly Kind[]): string | undefined {
  const lower = word.toLowerCase();
  const meant = kinds.filter((kind) =>
    [kind.name, kind.definition.kind, kind.definition.plural, crdName(kind)].some(
      (name) => name.toLowerCase() === lower,
    ),
  );
  return onlyOf(word, meant.map(crdName));
}

function onlyOf(word: string, names: readonly string[]): string | undefined {
  if (names.length > 1) throw new UsageError(`${word}: ambiguous; use ${names.join(" or ")}`);
  return names[0];
}

/** What discovery has under a name. Throws UsageError for a resource that no CRD defines, ApiServerError. */
async function ofCluster(word: string, kinds: readonly Kind[], connection: Connection): Promise<string> {
  const lower = word.toLowerCase();
  const found = (await discovered(connection)).filter(({ names }) => names.includes(lower));
  const crds: string[] = [];
  for (const name of new Set(found.map((each) => each.crd)))
    if ((await readCrd(connection, name)) !== undefined) crds.push(name);
  const crd = onlyOf(word, crds);
  if (crd !== undefined) return crd;
  const [other] = found;
  if (other !== undefined)
    throw new UsageError(
      `${word}: ${other.kind} of ${other.apiVersion} is not defined by a CRD, so its versions come and go with the API server itself; kubectl get crds lists what is`,
    );
  // It may serve no version, and then is not discovered.
  if (lower.includes(".")) return lower;
  const known = kinds.map(crdName).sort();
  const these = known.length === 0 ? "" : ` and the project has ${known.join(", ")};`;
  throw new UsageError(
    `${word}: no resource of ${connection.server} has this name,${these} kubectl get crds lists all CRDs`,
  );
}

/** A resource that an API server serves, and all names by which a user may mean it. */
interface Discovered {
  readonly crd: string;
  readonly kind: string;
  readonly apiVersion: string;
  readonly names: readonly string[];
}

/** The resources of all groups (apidiscovery.k8s.io/v2, APIGroupDiscoveryList). Throws ApiServerError. */
async function discovered(connection: Connection): Promise<readonly Discovered[]> {
  const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  const lists = await Promise.all(
    ["/api", "/apis"].map((path) => connection.request("GET", path, { accept })),
  );
  return lists.flatMap((answer) => {
    if (answer.status !== 200)
      throw new ApiServerError(`the resources of the cluster cannot be listed: ${sentenceOf(answer)}`);
    return listAt(answer.body, "items").flatMap((group) =>
      listAt(group, "versions").flatMap((version) =>
        listAt(version, "resources").map((resource) =>
          discoveredOf(textAt(group, "metadata", "name"), textAt(version, "version"), resource),
        ),
      ),
    );
  });
}

function discoveredOf(group: string, version: string, resource: Json): Discovered {
  const plural = textAt(resource, "resource");
  const kind = textAt(resource, "responseKind", "kind");
  const crd = `${plural}.${group}`;
  const names = [crd, plural, textAt(resource, "singularResource"), kind, ...listAt(resource, "shortNames")];
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return { crd, kind, apiVersion, names: names.map((name) => String(name).toLowerCase()) };
}
