import { access, readFile } from "node:fs/promises";
import type { RequestOptions } from "node:https";
import { isIPv6 } from "node:net";
import path from "node:path";
import { get, isObject, type Json, type JsonObject, listAt } from "../../json/json.ts";
import { readYaml } from "../../yaml/yaml.ts";

/** The environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** An API server, and the credentials for its requests: what is in files is read anew each minute. */
interface Access {
  readonly server: string;
  /** A CA, a client certificate, a token. Rejects where a file cannot be read. */
  readonly credentials: () => Promise<Credentials>;
}

/** Credentials as options of a request. */
interface Credentials extends Pick<RequestOptions, "ca" | "cert" | "key" | "servername"> {
  readonly rejectUnauthorized?: boolean;
  readonly headers?: { readonly authorization: string };
}

/** Where the usual places are looked up. */
interface AccessPlaces {
  readonly env: Environment;
  /** Milliseconds, from a clock that never jumps. */
  readonly clock: () => number;
  /** What the paths of a pod begin with. */
  readonly root?: string;
}

/**
 * The access that a kubeconfig describes, or in a pod its service account, if it is of the usual sort: certificates and tokens,
 * given or in files. Undefined for all else, which client-node knows: it takes 60 MB and a third of a second.
 */
export async function plainAccess(
  kubeconfig: string | undefined,
  places: AccessPlaces,
): Promise<Access | undefined> {
  if (kubeconfig !== undefined) return accessOf(kubeconfig, places);
  const { KUBECONFIG = "", HOME = "" } = places.env;
  const hasOther = KUBECONFIG !== "" || (HOME !== "" && (await exists(path.join(HOME, ".kube", "config"))));
  return hasOther ? undefined : serviceAccountAccess(places);
}

async function serviceAccountAccess({ env, clock, root = "" }: AccessPlaces): Promise<Access | undefined> {
  const { KUBERNETES_SERVICE_HOST: host = "", KUBERNETES_SERVICE_PORT: port = "" } = env;
  const folder = `${root}/var/run/secrets/kubernetes.io/serviceaccount`;
  const [token, authority] = [path.join(folder, "token"), path.join(folder, "ca.crt")];
  if (host === "" || port === "" || !(await exists(token))) return undefined;
  const files = new Files(clock);
  return {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    credentials: async () => ({ ca: await files.read(authority), ...bearer(await files.read(token)) }),
  };
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

async function accessOf(kubeconfig: string, { clock }: AccessPlaces): Promise<Access | undefined> {
  const current = currentOf(await configIn(kubeconfig));
  if (current === undefined) return undefined;
  const { cluster, user } = current;
  const files = new Files(clock);
  const folder = path.dirname(path.resolve(kubeconfig));
  const content = async (of: JsonObject, key: string) => {
    const [data, file] = [of[`${key}-data`], of[key]];
    if (typeof data === "string" && data !== "") return Buffer.from(data, "base64").toString();
    return typeof file === "string" && file !== "" ? files.read(path.resolve(folder, file)) : undefined;
  };
  const server = String(cluster.server).replace(/\/$/, "");
  const name = cluster["tls-server-name"];
  return {
    server,
    credentials: async () => {
      const [ca, cert, key] = await Promise.all([
        content(cluster, "certificate-authority"),
        content(user, "client-certificate"),
        content(user, "client-key"),
      ]);
      return {
        ...(ca === undefined ? {} : { ca }),
        ...(cert === undefined ? {} : { cert }),
        ...(key === undefined ? {} : { key }),
        ...(cluster["insecure-skip-tls-verify"] === true ? { rejectUnauthorized: false } : {}),
        ...(typeof name === "string" && name !== "" ? { servername: name } : {}),
        ...(typeof user.token === "string" && user.token !== "" ? bearer(user.token) : {}),
      };
    },
  };
}

/** Undefined for a file that cannot be read as one document; client-node then says what is wrong. */
async function configIn(kubeconfig: string): Promise<Json | undefined> {
  try {
    const [document, ...others] = readYaml(await readFile(kubeconfig, "utf8"));
    return others.length === 0 ? document?.value : undefined;
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

/** The cluster and the user of the current context, if they have nothing but what is known here. */
function currentOf(config: Json | undefined) {
  const context = entryOf(get(config, "contexts"), get(config, "current-context"), "context");
  const cluster = entryOf(get(config, "clusters"), context?.cluster, "cluster");
  const user = entryOf(get(config, "users"), context?.user, "user");
  const isPlain =
    hasOnly(cluster, clusterKeys) &&
    hasOnly(user, userKeys) &&
    /^https:\/\//.test(String(get(cluster, "server")));
  return cluster !== undefined && user !== undefined && isPlain ? { cluster, user } : undefined;
}

const clusterKeys = [
  "server",
  "certificate-authority",
  "certificate-authority-data",
  "insecure-skip-tls-verify",
  "tls-server-name",
  "extensions",
];
const userKeys = [
  "client-certificate",
  "client-certificate-data",
  "client-key",
  "client-key-data",
  "token",
  "extensions",
];

function entryOf(entries: Json | undefined, name: Json | undefined, key: string): JsonObject | undefined {
  const found = listAt(entries).filter((each) => get(each, "name") === name);
  const value = get(found[0], key);
  return typeof name === "string" && found.length === 1 && isObject(value) ? value : undefined;
}

function hasOnly(object: JsonObject | undefined, keys: readonly string[]): boolean {
  return Object.keys(object ?? {}).every((key) => keys.includes(key));
}

function bearer(token: string): { readonly headers: { readonly authorization: string } } {
  return { headers: { authorization: `Bearer ${token.trim()}` } };
}

/** Files that are read again after a minute, as by client-go (transport/token_source.go). */
class Files {
  readonly #clock: () => number;
  readonly #known = new Map<string, { readonly text: string; readonly at: number }>();

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  async read(file: string): Promise<string> {
    const known = this.#known.get(file);
    if (known !== undefined && this.#clock() - known.at < minute) return known.text;
    const text = await readFile(file, "utf8");
    this.#known.set(file, { text, at: this.#clock() });
    return text;
  }
}

const minute = 60_000;
