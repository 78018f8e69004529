import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createAuthority } from "../../../certs/authority.ts";
import { parseJson, writeJson } from "../../../src/json/exact.ts";
import { get, isArray, type Json, type JsonObject } from "../../../src/json/json.ts";
import type { ApiServer } from "../server.ts";
import { container, created } from "./injection-stage.ts";

/** Another mutating webhook, called after ours, which adds a container `late` with a volume and a limit to pods. */
export interface LateWebhook {
  /** Has it called for pods with these labels. */
  readonly register: (server: ApiServer, labels: JsonObject) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts it. */
export async function startLateWebhook(): Promise<LateWebhook> {
  const authority = await createAuthority({ commonName: "late", now: new Date(), days: 1 });
  const pair = await authority.issue({ hosts: ["127.0.0.1"], now: new Date(), days: 1 });
  const server = createServer({ cert: pair.certificate, key: pair.key }, async (request, response) => {
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    response.setHeader("content-type", "application/json");
    response.end(writeJson(answerTo(parseJson(body))));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    register: async (api, labels) => {
      await created(api, configurations, configuration(url, authority.certificate, labels));
    },
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const configurations = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";

/** Configurations are called in the order of their names. */
function configuration(url: string, authority: string, matchLabels: JsonObject): JsonObject {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: { name: "late" },
    webhooks: [
      {
        name: "late.example.com",
        clientConfig: { url, caBundle: Buffer.from(authority).toString("base64") },
        rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }],
        objectSelector: { matchLabels },
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      },
    ],
  };
}

function answerTo(review: Json): JsonObject {
  const containers = get(review, "request", "object", "spec", "containers");
  const isThere = isArray(containers) && containers.some((each) => get(each, "name") === "late");
  const volumes = get(review, "request", "object", "spec", "volumes") ?? [];
  const patch = [
    { op: "add", path: "/spec/containers/-", value: late },
    {
      op: "add",
      path: "/spec/volumes",
      value: [...(isArray(volumes) ? volumes : []), { name: "late", emptyDir: {} }],
    },
  ];
  const change = { patchType: "JSONPatch", patch: Buffer.from(writeJson(patch)).toString("base64") };
  const uid = get(review, "request", "uid") ?? null;
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    response: { uid, allowed: true, ...(isThere ? {} : change) },
  };
}

const late = container("late", {
  resources: { limits: { cpu: "2" } },
  volumeMounts: [{ name: "late", mountPath: "/late" }],
});
