import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type Authority, createAuthority } from "../../certs/authority.ts";
import { parseJson, writeJson } from "../../src/json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../../src/json/json.ts";
import { establishCrd } from "./crd.ts";
import { type ApiServer, startApiServer } from "./server.ts";
import { type Names, type Subject, subject } from "./subject.ts";

/** A review as it came in. */
export interface Seen {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** The port that the caller called from: one a connection. */
  readonly connection: number;
  readonly text: string;
  readonly body: Json;
  /** The objects to be converted; none in an AdmissionReview. */
  readonly objects: readonly JsonObject[];
}

/** An answer that no webhook of ours would give; null hangs up without one. */
export type Reply = {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
} | null;

/** How an object is converted here: like this, but for the version that is wanted. */
export type Convert = (object: JsonObject, apiVersion: string) => Json;

/** A real API server with a lab kind, and a webhook that answers as a test wants, object by object. */
export interface Lab extends ApiServer {
  readonly url: string;
  readonly webhook: string;
  readonly authority: Authority;
  /** The conversion reviews of an object, in order. */
  readonly seen: (name: string) => readonly Seen[];
  /** The admission reviews of an object, in order. */
  readonly admitted: (name: string) => readonly Seen[];
  /** Sets how an object is converted. */
  readonly convert: (name: string, convert: Convert) => void;
  /** Sets what is answered instead. */
  readonly reply: (name: string, reply: (() => Reply) | undefined) => void;
  /** An object of the lab kind in the namespace default. */
  readonly sample: (name: string, names?: Names) => Subject;
}

/** The lab kind: both versions have `a`, `n` and `status.phase`; `x` is v1's alone; `status.memory` keeps anything. */
export const samples: Names = { kind: "Sample", plural: "samples", group: "lab.antechamber.dev" };

/** Starts both. */
export async function startLab(): Promise<Lab> {
  const all: Seen[] = [];
  const converts = new Map<string, Convert>();
  const replies = new Map<string, () => Reply>();
  const authority = await createAuthority({ commonName: "lab", now: new Date(), days: 1 });
  const pair = await authority.issue({ hosts: ["127.0.0.1"], now: new Date(), days: 1 });
  const server = await startApiServer();
  const webhook = createServer({ cert: pair.certificate, key: pair.key }, async (request, response) => {
    const review = await read(request).catch(whereAborted);
    if (review === undefined) return;
    const name = nameIn(review);
    all.push(review);
    const reply = replies.get(name);
    const answer = reply === undefined ? good(review, converts.get(name) ?? relabelled) : reply();
    if (answer === null) request.socket.destroy();
    else response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  const url = await listen(webhook);
  const lab: Lab = {
    ...server,
    webhook: url,
    authority,
    seen: (name) => all.filter((each) => nameIn(each) === name && each.objects.length > 0),
    admitted: (name) => all.filter((each) => nameIn(each) === name && each.objects.length === 0),
    convert: (name, convert) => converts.set(name, convert),
    reply: (name, reply) => (reply === undefined ? replies.delete(name) : replies.set(name, reply)),
    sample: (name, names = samples) => subject(server, names, "default", name),
    stop: async () => {
      webhook.closeAllConnections();
      await Promise.all([server.stop(), new Promise((resolve) => webhook.close(resolve))]);
    },
  };
  await establishCrd(lab, labCrd(lab, samples, versionsOf(memory, memory)));
  return lab;
}

/** A CRD of a lab kind that is converted by the lab's webhook. */
export function labCrd(lab: Pick<Lab, "webhook" | "authority">, names: Names, versions: Json): JsonObject {
  const { kind, plural, group = "" } = names;
  const caBundle = Buffer.from(lab.authority.certificate).toString("base64");
  const webhook = {
    clientConfig: { url: `${lab.webhook}/convert`, caBundle },
    conversionReviewVersions: ["v1"],
  };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions,
      conversion: { strategy: "Webhook", webhook },
    },
  };
}

/** A field that keeps whatever is in it. */
export const memory: JsonObject = {
  memory: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
};

/** The versions of the lab kind, with more fields of status in each. */
export function versionsOf(v1Status: JsonObject, v1beta1Status: JsonObject): Json {
  const common = { a: { type: "string" }, n: { type: "integer", format: "int64" } };
  const v1Spec = { ...common, x: { type: "string", maxLength: 3 }, d: { type: "string", default: "v1's" } };
  const v1beta1Spec = { ...common, d: { type: "string", default: "v1beta1's" } };
  return [versionOf("v1", v1Spec, v1Status), versionOf("v1beta1", v1beta1Spec, v1beta1Status)];
}

function versionOf(name: string, spec: JsonObject, status: JsonObject): JsonObject {
  const properties = {
    spec: { type: "object", properties: spec },
    status: { type: "object", properties: { phase: { type: "string" }, ...status } },
  };
  const schema = { openAPIV3Schema: { type: "object", properties } };
  return { name, served: true, storage: name === "v1", subresources: { status: {} }, schema };
}

/** The object as it is, under another version. */
export const relabelled: Convert = (object, apiVersion) => ({ ...object, apiVersion });

function good({ body, objects }: Seen, convert: Convert): Reply {
  const uid = get(body, "request", "uid") ?? "";
  const desired = String(get(body, "request", "desiredAPIVersion"));
  const kind = String(get(body, "kind"));
  const response =
    kind === "ConversionReview"
      ? {
          uid,
          result: { status: "Success" },
          convertedObjects: objects.map((each) => convert(each, desired)),
        }
      : { uid, allowed: true };
  const review = { apiVersion: get(body, "apiVersion") ?? "", kind, response };
  return { status: 200, headers: { "content-type": "application/json" }, body: writeJson(review) };
}

/** A stopped API server aborts its requests: their responses are not needed. */
function whereAborted(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ECONNRESET") throw error;
}

async function read(request: IncomingMessage): Promise<Seen> {
  const content = await text(request);
  const body = parseJson(content);
  const objects = get(body, "request", "objects");
  return {
    url: request.url ?? "",
    headers: request.headers,
    connection: request.socket.remotePort ?? 0,
    text: content,
    body,
    objects: isArray(objects) ? objects.filter(isObject) : [],
  };
}

function nameIn({ body, objects }: Seen): string {
  return String(get(objects[0] ?? get(body, "request", "object"), "metadata", "name"));
}

function listen(server: Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      resolve(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
    });
  });
}
