import { run } from "../../src/cluster/local/child.ts";
import { isObject, type Json, type JsonObject, set } from "../../src/json/json.ts";
import { findBinaries } from "./binaries.ts";
import type { Answer } from "./client.ts";
import { withoutCarriers } from "./content.ts";
import { group } from "./home.ts";
import type { ApiServer } from "./server.ts";

/** What a kind is called. */
export interface Names {
  readonly kind: string;
  readonly plural: string;
  /** Without it that of the home. */
  readonly group?: string;
  /** Without it namespaced. */
  readonly scope?: "Cluster";
}

/** One thing that a client did, and how it went: the HTTP status, for kubectl 200 or 500. */
export interface Step {
  readonly what: string;
  readonly status: number;
  readonly text: string;
}

/** An object, as its clients reach it at each version; everything they do is written down. */
export interface Subject {
  readonly name: string;
  readonly steps: readonly Step[];
  readonly at: (version: string) => ClientAt;
}

/** More of an apply: other managers are forced, or the status is applied. */
export interface ApplyOptions {
  readonly force?: "force";
  readonly status?: "status";
}

/** What a client of one version can do to the object. Whatever the server answers is an answer. */
export interface ClientAt {
  readonly version: string;
  /** The object as it is; throws where it cannot be read. */
  readonly get: () => Promise<JsonObject>;
  /** What a file says that was written by hand: identity, and the content given. */
  readonly file: (content: JsonObject) => JsonObject;
  readonly create: (object: JsonObject) => Promise<Answer>;
  readonly put: (object: JsonObject) => Promise<Answer>;
  readonly putStatus: (object: JsonObject) => Promise<Answer>;
  readonly patch: (patch: Json) => Promise<Answer>;
  readonly patchStatus: (patch: Json) => Promise<Answer>;
  /** Server-side apply of content beside identity. */
  readonly apply: (manager: string, content: JsonObject, options?: ApplyOptions) => Promise<Answer>;
  readonly remove: () => Promise<Answer>;
  /** kubectl with a file as its input. */
  readonly kubectl: (args: readonly string[], file?: Json) => Promise<string>;
  /** `kubectl edit` with a sed script as the editor. */
  readonly edit: (script: string) => Promise<string>;
}

/** An object that is not there yet. */
export function subject(server: ApiServer, names: Names, namespace: string, name: string): Subject {
  const steps: Step[] = [];
  return { name, steps, at: (version) => clientAt({ server, names, namespace, name, steps }, version) };
}

/** The object without what a client that knows the version's fields alone would lose: carriers, and what the server owns. */
export function typed(object: JsonObject): JsonObject {
  const bare = withoutCarriers(object);
  return set(bare, "metadata", set(metadataOf(bare), "managedFields", undefined));
}

/** The object as `kubectl get -o yaml` shows it, made fit to be applied: without managedFields and resourceVersion. */
export function exported(object: JsonObject): JsonObject {
  const metadata = metadataOf(object);
  return set(
    object,
    "metadata",
    set(set(metadata, "managedFields", undefined), "resourceVersion", undefined),
  );
}

/** The metadata of an object. */
export function metadataOf(object: JsonObject): JsonObject {
  return isObject(object.metadata) ? object.metadata : {};
}

interface Place {
  readonly server: ApiServer;
  readonly names: Names;
  readonly namespace: string;
  readonly name: string;
  readonly steps: Step[];
}

function clientAt({ server, names, namespace, name, steps }: Place, version: string): ClientAt {
  const apiGroup = names.group ?? group;
  const within = names.scope === "Cluster" ? "" : `/namespaces/${namespace}`;
  const list = `/apis/${apiGroup}/${version}${within}/${names.plural}`;
  const path = `${list}/${name}`;
  const resource = `${names.plural}.${version}.${apiGroup}`;
  const ask = async (what: string, method: string, url: string, body?: Json, contentType?: string) => {
    const details = { ...(body === undefined ? {} : { body }), ...(contentType && { contentType }) };
    const answer = await server.request(method, url, details);
    steps.push({ what: `${what} at ${version}`, status: answer.status, text: answer.text });
    return answer;
  };
  const file = (content: JsonObject): JsonObject => {
    const place = names.scope === "Cluster" ? {} : { namespace };
    const metadata = { ...metadataOf(content), name, ...place };
    return { ...content, apiVersion: `${apiGroup}/${version}`, kind: names.kind, metadata };
  };
  const recorded = (what: string, { code, stdout, stderr }: Awaited<ReturnType<typeof run>>) => {
    steps.push({ what: `${what} at ${version}`, status: code === 0 ? 200 : 500, text: stdout + stderr });
    return stdout + stderr;
  };
  return {
    version,
    file,
    get: async () => {
      const answer = await server.request("GET", path);
      if (answer.status === 200 && isObject(answer.body)) return answer.body;
      throw new Error(`GET ${path}: ${answer.status} ${answer.text}`);
    },
    create: (object) => ask("create", "POST", list, object),
    put: (object) => ask("PUT", "PUT", path, object),
    putStatus: (object) => ask("PUT of /status", "PUT", `${path}/status`, object),
    patch: (patch) => ask("PATCH", "PATCH", path, patch, patchType(patch)),
    patchStatus: (patch) => ask("PATCH of /status", "PATCH", `${path}/status`, patch, patchType(patch)),
    apply: (manager, content, { force, status } = {}) => {
      const url = `${path}${status ? "/status" : ""}?fieldManager=${manager}${force ? "&force=true" : ""}`;
      return ask(`apply by ${manager}`, "PATCH", url, file(content), "application/apply-patch+yaml");
    },
    remove: () => ask("DELETE", "DELETE", path),
    kubectl: async (args, input) => {
      const given = args.map((arg) => (arg === "OBJECT" ? `${resource}/${name}` : arg));
      const options = input === undefined ? {} : { input: JSON.stringify(input) };
      return recorded(
        `kubectl ${args.join(" ")}`,
        await server.kubectl(["-n", namespace, ...given], options),
      );
    },
    edit: async (script) => {
      const env = { PATH: process.env.PATH, HOME: server.dir, KUBECONFIG: server.kubeconfig };
      const args = ["-n", namespace, "edit", `${resource}/${name}`];
      const command = findBinaries()?.kubectl ?? "kubectl";
      return recorded(
        "kubectl edit",
        await run({ command, args }, { ...env, KUBE_EDITOR: `sed -i -e '${script}'` }),
      );
    },
  };
}

/** A list is a JSON patch, an object a merge patch. */
function patchType(patch: Json): string {
  return Array.isArray(patch) ? "application/json-patch+json" : "application/merge-patch+json";
}
