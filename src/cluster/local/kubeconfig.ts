import { parse } from "yaml";
import { get, type Json } from "../../json/json.ts";

/** The address and credentials of a user of an API server. */
export interface Access {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
}

/** The text of a kubeconfig with one cluster, one user and one context of the given name. JSON is YAML. */
export function kubeconfigText({ url, ca, token }: Access, name = "test"): string {
  const cluster = { server: url, "certificate-authority-data": Buffer.from(ca).toString("base64") };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster }],
    users: [{ name: "admin", user: { token } }],
    contexts: [{ name, context: { cluster: name, user: "admin" } }],
    "current-context": name,
  });
}

/** The first cluster and the first user of a kubeconfig. */
export function kubeconfigAccess(text: string): Access {
  const config = parse(text) as Json;
  const cluster = get(first(get(config, "clusters")), "cluster");
  const url = get(cluster, "server");
  const ca = get(cluster, "certificate-authority-data");
  const token = get(first(get(config, "users")), "user", "token");
  if (typeof url !== "string" || typeof ca !== "string" || typeof token !== "string") {
    throw new Error("the kubeconfig lacks a server, a CA or a token");
  }
  return { url, ca: Buffer.from(ca, "base64").toString(), token };
}

function first(list: Json | undefined): Json | undefined {
  return Array.isArray(list) ? (list[0] as Json) : undefined;
}
