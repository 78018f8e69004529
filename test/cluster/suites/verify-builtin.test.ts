import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Ask, checkKind, type KindFindings, notes, subjectOf } from "../../../src/checks/index.ts";
import { parseJson, writeJson } from "../../../src/json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../../../src/json/json.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { type ApiServer, startApiServer } from "../server.ts";

// The API server's own conversion between autoscaling/v1 and v2 as a target of the checks of `verify --url`: an object is
// written at one version and read at the other. It is known to be sound, as long as clients keep the annotations in which
// v1 carries what only v2 can say.

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("the API server's own HorizontalPodAutoscalers", claims);

function claims(): void {
  let server: ApiServer;
  let found: KindFindings;
  beforeAll(async () => {
    server = await startApiServer();
    const read = subjectOf(await crdOf(server), examples);
    if ("causes" in read) throw new Error(JSON.stringify(read.causes));
    found = await checkKind(read.subject, askOf(server), {
      batch: 100,
      clock: () => performance.now(),
      until: Number.MAX_VALUE,
      seed: 1,
      runs: 10,
      ignored: [],
      examples,
    });
  }, 300_000);
  afterAll(() => server?.stop());

  it("are converted without a loss, in both directions, also after edits", () => {
    const faults = found.findings.filter(
      ({ kind, message = "" }) => !notes.has(kind) && !isForbidden(message),
    );
    // The target for the CPU, which v1 has a field for, comes back as the last of the metrics.
    expect(faults.map(({ kind, place, message }) => `${kind} ${place}: ${message}`)).toEqual([
      "became spec.metrics: the items are in another order",
    ]);
    expect(found.objects).toBeGreaterThan(1_000);
    expect(found.ended).toBeUndefined();
  });

  it("keep what only v2 can say no longer than clients keep the annotations", () => {
    const kept = found.findings
      .filter(({ kind }) => kind === "kept by annotations")
      .map(({ place }) => place);
    expect(kept).toEqual(expect.arrayContaining([expect.stringMatching(/^spec\.behavior/)]));
    expect(kept).toEqual(expect.arrayContaining([expect.stringMatching(/^spec\.metrics/)]));
  });
}

/** An API server stores only what its validation admits; such a refusal is not one of the conversion. */
function isForbidden(message: string): boolean {
  return / is invalid: /.test(message);
}

/** Objects as users write them. */
const examples: readonly JsonObject[] = [
  {
    apiVersion: "autoscaling.example.com/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web", namespace: "default" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      minReplicas: 2,
      maxReplicas: 9,
      metrics: [
        {
          type: "Resource",
          resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 70 } },
        },
        {
          type: "Resource",
          resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } },
        },
      ],
      behavior: {
        scaleDown: {
          stabilizationWindowSeconds: 60,
          selectPolicy: "Min",
          policies: [{ type: "Pods", value: 1, periodSeconds: 30 }],
        },
      },
    },
  },
  {
    apiVersion: "autoscaling.example.com/v1",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web", namespace: "default" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      maxReplicas: 9,
      targetCPUUtilizationPercentage: 70,
    },
  },
];

/** Converts by writing at one version and reading at the other. */
function askOf(server: ApiServer): Ask {
  return async (review) => {
    const asked = parseJson(review);
    const request = get(asked, "request");
    const desired = String(get(request, "desiredAPIVersion"));
    const objects = get(request, "objects");
    const converted: Json[] = [];
    let failure: string | undefined;
    for (const object of isArray(objects) ? objects.filter(isObject) : []) {
      const made = await stored(server, object, desired);
      if ("message" in made) failure ??= made.message;
      else converted.push(made.object);
    }
    const result: JsonObject =
      failure === undefined ? { status: "Success" } : { status: "Failure", message: failure };
    const response = { uid: get(request, "uid") ?? "", result, convertedObjects: converted };
    const text = writeJson({
      apiVersion: get(asked, "apiVersion") ?? "",
      kind: "ConversionReview",
      response,
    });
    return { state: "answered", status: 200, text };
  };
}

async function stored(
  server: ApiServer,
  object: JsonObject,
  desired: string,
): Promise<{ readonly object: JsonObject } | { readonly message: string }> {
  const name = "checked";
  const builtIn = (apiVersion: Json | undefined) => String(apiVersion).replace(".example.com", "");
  const path = (apiVersion: Json | undefined) =>
    `/apis/${builtIn(apiVersion)}/namespaces/default/horizontalpodautoscalers`;
  const metadata = isObject(object.metadata) ? object.metadata : {};
  const { labels = {}, annotations = {} } = metadata;
  const own = { name, namespace: "default", labels, annotations };
  const body = { ...object, apiVersion: builtIn(object.apiVersion), metadata: own };
  const put = await server.request("PUT", `${path(object.apiVersion)}/${name}`, { body });
  const written = put.status === 404 ? await server.request("POST", path(object.apiVersion), { body }) : put;
  if (written.status > 201) return { message: String(get(written.body, "message") ?? written.text) };
  const { body: seen } = await server.request("GET", `${path(desired)}/${name}`);
  if (!isObject(seen)) return { message: "the API server answers no object" };
  const marks = ["labels", "annotations"] as const;
  const kept = marks.reduce((made, mark) => set(made, mark, get(seen, "metadata", mark)), metadata);
  // Status is written at an endpoint of its own.
  const { status: _, ...content } = seen;
  return { object: { ...content, apiVersion: desired, metadata: kept } };
}

/** The schemas of both versions as a CRD, from the API server's OpenAPI document. */
async function crdOf(server: ApiServer): Promise<JsonObject> {
  const kind = "HorizontalPodAutoscaler";
  const versions = await Promise.all(
    ["v1", "v2"].map(async (name) => {
      const { body } = await server.request("GET", `/openapi/v3/apis/autoscaling/${name}`);
      const schemas = get(body, "components", "schemas");
      const whole = structural(get(schemas, `io.k8s.api.autoscaling.${name}.${kind}`), schemas);
      const spec = get(whole, "properties", "spec") ?? {};
      const schema = { openAPIV3Schema: { type: "object", required: ["spec"], properties: { spec } } };
      return { name, served: true, storage: name === "v2", schema };
    }),
  );
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "horizontalpodautoscalers.autoscaling.example.com" },
    spec: {
      // A group of a CRD has a dot; the objects of the built-in kind have their own.
      group: "autoscaling.example.com",
      names: { kind, listKind: `${kind}List`, plural: "horizontalpodautoscalers", singular: "hpa" },
      scope: "Namespaced",
      versions,
    },
  };
}

/** Kinds of metrics and targets, and the field that each needs. */
const metrics = ["Resource", "Pods", "Object", "External", "ContainerResource"];
const targets = { Utilization: "averageUtilization", Value: "value", AverageValue: "averageValue" };
const fieldOf = (metric: string) => `${metric[0]?.toLowerCase()}${metric.slice(1)}`;
const one = (type: string, field: string) => ({ rule: `(self.type == "${type}") == has(self.${field})` });

/** What the API server's validation demands besides the schema, as a CRD says it; without it most objects are refused. */
const rules: Readonly<Record<string, JsonObject>> = {
  CrossVersionObjectReference: { required: ["apiVersion", "kind", "name"] },
  MetricSpec: {
    properties: { type: { type: "string", enum: metrics } },
    "x-kubernetes-validations": metrics.map((metric) => one(metric, fieldOf(metric))),
  },
  MetricTarget: {
    properties: { type: { type: "string", enum: Object.keys(targets) } },
    "x-kubernetes-validations": Object.entries(targets).map(([type, field]) => one(type, field)),
  },
  HPAScalingPolicy: {
    properties: {
      type: { type: "string", enum: ["Pods", "Percent"] },
      value: { type: "integer", format: "int32", minimum: 1 },
      periodSeconds: { type: "integer", format: "int32", minimum: 1, maximum: 1800 },
    },
  },
  HPAScalingRules: {
    properties: {
      selectPolicy: { type: "string", enum: ["Max", "Min", "Disabled"] },
      stabilizationWindowSeconds: { type: "integer", format: "int32", minimum: 0, maximum: 3600 },
    },
  },
  HorizontalPodAutoscalerSpec: {
    "x-kubernetes-validations": [{ rule: "!has(self.minReplicas) || self.minReplicas <= self.maxReplicas" }],
  },
};

/** A schema with the rules of its type. */
function ruled(ref: string, schema: Json): Json {
  const { properties, ...more } = rules[ref.replace(/^.*\./, "")] ?? {};
  if (!isObject(schema)) return schema;
  const known = isObject(schema.properties) ? schema.properties : {};
  return { ...schema, ...more, ...(isObject(properties) ? { properties: { ...known, ...properties } } : {}) };
}

/** A schema without references, as a CRD has it. */
function structural(schema: Json | undefined, all: Json | undefined): Json {
  if (!isObject(schema)) return schema ?? {};
  const [reference] = isArray(schema.allOf) ? schema.allOf : [schema];
  const ref = get(reference, "$ref");
  if (typeof ref === "string") return ruled(ref, structural(get(all, ref.replace(/^.*\//, "")), all));
  // A quantity is a text or a number.
  if (isArray(schema.oneOf)) return { "x-kubernetes-int-or-string": true, pattern: "^[0-9]+(m|Ki|Mi|Gi)?$" };
  const { default: _, "x-kubernetes-group-version-kind": __, ...rest } = schema;
  const { properties, items, additionalProperties } = rest;
  return {
    ...rest,
    ...(isObject(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, below]) => [name, structural(below, all)]),
          ),
        }
      : {}),
    ...(items === undefined ? {} : { items: structural(items, all) }),
    ...(isObject(additionalProperties)
      ? { additionalProperties: structural(additionalProperties, all) }
      : {}),
  };
}
