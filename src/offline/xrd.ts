import { UsageError } from "../errors.ts";
import { get, isObject, type JsonObject, listAt, textAt } from "../json/json.ts";

// What Crossplane makes of a CompositeResourceDefinition (pkg/xcrd of crossplane-runtime, v2.4).

/** Whether an object is a CompositeResourceDefinition (XRD) of Crossplane. */
export function isXrd({ apiVersion, kind }: JsonObject): boolean {
  return kind === "CompositeResourceDefinition" && (apiVersion === firstApi || apiVersion === secondApi);
}

const [firstApi, secondApi] = ["apiextensions.crossplane.io/v1", "apiextensions.crossplane.io/v2"];

/**
 * The CRD of the composite resources that an XRD defines, and that of the claims if it offers them (ForCompositeResource,
 * ForCompositeResourceClaim). Throws UsageError where Crossplane makes none.
 */
export function crdsOfXrd(source: string, xrd: JsonObject): readonly JsonObject[] {
  const { apiVersion, spec } = xrd;
  if (!isObject(spec)) throw new UsageError(`${source}: spec: Required value`);
  const isFirst = apiVersion === firstApi;
  const scope = get(spec, "scope") ?? (isFirst ? "LegacyCluster" : "Namespaced");
  const isLegacy = scope === "LegacyCluster";
  const { claimNames } = spec;
  const deletePolicy = get(spec, "defaultCompositeDeletePolicy") ?? (isFirst ? "Background" : undefined);
  const composite = crdOf(source, xrd, spec, {
    name: textAt(xrd, "metadata", "name"),
    names: spec.names,
    category: "composite",
    scope: scope === "Namespaced" ? "Namespaced" : "Cluster",
    columns: compositeColumns(isLegacy ? ".spec" : ".spec.crossplane"),
    spec: compositeSpec(scope, get(spec, "defaultCompositionUpdatePolicy") ?? "Automatic"),
    status: isLegacy ? { ...modernStatus, ...legacyStatus } : modernStatus,
  });
  if (!isObject(claimNames)) return [composite];
  rejectSharedNames(source, spec.names, claimNames);
  const claim = crdOf(source, xrd, spec, {
    name: `${textAt(claimNames, "plural")}.${textAt(spec, "group")}`,
    names: claimNames,
    category: "claim",
    scope: "Namespaced",
    columns: claimColumns,
    spec: claimSpec(deletePolicy),
    status: { ...modernStatus, ...legacyStatus },
  });
  return [composite, claim];
}

/** How the CRDs of composite resources and of claims differ. */
interface Derived {
  readonly name: string;
  readonly names: JsonObject[string] | undefined;
  readonly category: string;
  readonly scope: "Namespaced" | "Cluster";
  readonly columns: readonly JsonObject[];
  readonly spec: JsonObject;
  readonly status: JsonObject;
}

function crdOf(source: string, xrd: JsonObject, spec: JsonObject, derived: Derived): JsonObject {
  const labels = { ...objectAt(xrd, "metadata", "labels"), ...objectAt(spec, "metadata", "labels") };
  const annotations = objectAt(spec, "metadata", "annotations");
  const names = isObject(derived.names) ? derived.names : {};
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: derived.name, ...filled({ labels, annotations }) },
    spec: {
      ...given(spec, "group", "conversion"),
      names: { ...names, categories: [...listAt(names, "categories"), derived.category] },
      scope: derived.scope,
      versions: listAt(spec, "versions").map((version, at) =>
        versionOf(`${source}: spec.versions[${at}].schema`, isObject(version) ? version : {}, derived),
      ),
    },
  };
}

/** A version (genCrdVersion), which takes over only a part of what the root, the spec and the status say. */
function versionOf(source: string, version: JsonObject, derived: Derived): JsonObject {
  const schema = get(version, "schema", "openAPIV3Schema");
  if (!isObject(schema))
    throw new UsageError(`${source}: Required value: Crossplane makes no CRD without it`);
  const scale = get(version, "subresources", "scale");
  const ownLength = get(schema, "properties", "metadata", "properties", "name", "maxLength");
  const length = typeof ownLength === "number" ? ownLength : mostCharacters;
  const taken = ["description", "required", "x-kubernetes-validations", "oneOf"];
  const part = (name: "spec" | "status", ...more: readonly string[]) => {
    const own = objectAt(schema, "properties", name);
    const properties = { ...objectAt(own, "properties"), ...derived[name] };
    return { type: "object", ...given(own, ...taken, ...more), properties };
  };
  return {
    ...given(version, "name", "served", "deprecated", "deprecationWarning"),
    storage: get(version, "referenceable") === true,
    additionalPrinterColumns: [...listAt(version, "additionalPrinterColumns"), ...derived.columns],
    schema: {
      openAPIV3Schema: {
        type: "object",
        required: ["spec"],
        ...given(schema, "description", "x-kubernetes-validations"),
        properties: {
          apiVersion: text,
          kind: text,
          metadata: {
            type: "object",
            properties: { name: { type: "string", maxLength: Math.min(length, mostCharacters) } },
          },
          spec: part("spec", "x-kubernetes-preserve-unknown-fields"),
          status: part("status"),
        },
      },
    },
    subresources: { status: {}, ...(scale === undefined ? {} : { scale }) },
  };
}

/** Of a name, which is also the value of a label. */
const mostCharacters = 63;

/** Throws UsageError (validateClaimNames). */
function rejectSharedNames(
  source: string,
  names: JsonObject[string] | undefined,
  claimNames: JsonObject,
): void {
  const shared = ["kind", "plural", "singular", "listKind"].find((name) => {
    const own = textAt(claimNames, name);
    return own !== "" && isObject(names) && own === names[name];
  });
  if (shared === undefined) return;
  throw new UsageError(
    `${source}: spec.claimNames.${shared}: Invalid value: "${textAt(claimNames, shared)}": it is that of the composite resource already`,
  );
}

const text = { type: "string" };

const time = { type: "string", format: "date-time" };

/** An object of texts, all of them required unless others are named. */
function texts(names: readonly string[], required = names): JsonObject {
  const properties = Object.fromEntries(names.map((name) => [name, text]));
  return { type: "object", required: [...required], properties };
}

const selector: JsonObject = {
  type: "object",
  required: ["matchLabels"],
  properties: { matchLabels: { type: "object", additionalProperties: text } },
};

const updatePolicy = { type: "string", enum: ["Automatic", "Manual"] };

/** The fields by which composite resources and claims find their composition. */
const compositionFields = {
  compositionRef: texts(["name"]),
  compositionSelector: selector,
  compositionRevisionRef: texts(["name"]),
  compositionRevisionSelector: selector,
};

/** CompositeResourceSpecProps. */
function compositeSpec(scope: JsonObject[string], policy: JsonObject[string]): JsonObject {
  const namespace = scope === "Namespaced" ? [] : ["namespace"];
  const fields = {
    ...compositionFields,
    compositionUpdatePolicy: { ...updatePolicy, default: policy },
    resourceRefs: {
      type: "array",
      items: texts(["apiVersion", "name", ...namespace, "kind"], ["apiVersion", "kind"]),
      "x-kubernetes-list-type": "atomic",
    },
  };
  if (scope === "LegacyCluster")
    return {
      ...fields,
      claimRef: texts(["apiVersion", "kind", "namespace", "name"]),
      writeConnectionSecretToRef: texts(["name", "namespace"]),
    };
  const description = "Configures how Crossplane will reconcile this composite resource";
  return { crossplane: { type: "object", description, properties: fields } };
}

/** CompositeResourceClaimSpecProps. */
function claimSpec(policy: JsonObject[string] | undefined): JsonObject {
  const deletePolicy = { type: "string", enum: ["Background", "Foreground"] };
  return {
    ...compositionFields,
    compositionUpdatePolicy: updatePolicy,
    compositeDeletePolicy: policy === undefined ? deletePolicy : { ...deletePolicy, default: policy },
    resourceRef: texts(["apiVersion", "kind", "name"]),
    writeConnectionSecretToRef: texts(["name"]),
  };
}

/** CompositeResourceStatusProps. */
const modernStatus: JsonObject = {
  conditions: {
    description: "Conditions of the resource.",
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["type"],
    items: {
      type: "object",
      required: ["lastTransitionTime", "reason", "status", "type"],
      properties: {
        lastTransitionTime: time,
        message: text,
        reason: text,
        status: text,
        type: text,
        observedGeneration: { type: "integer", format: "int64" },
      },
    },
  },
};

const legacyStatus: JsonObject = {
  connectionDetails: { type: "object", properties: { lastPublishedTime: time } },
  claimConditionTypes: { type: "array", "x-kubernetes-list-type": "set", items: text },
};

function column(name: string, jsonPath: string, type = "string"): JsonObject {
  return { name, type, jsonPath };
}

const [synced, ready, age] = [
  column("SYNCED", ".status.conditions[?(@.type=='Synced')].status"),
  column("READY", ".status.conditions[?(@.type=='Ready')].status"),
  column("AGE", ".metadata.creationTimestamp", "date"),
];

/** CompositeResourcePrinterColumns. */
function compositeColumns(at: string): readonly JsonObject[] {
  const revision = column("COMPOSITIONREVISION", `${at}.compositionRevisionRef.name`);
  return [
    synced,
    ready,
    column("COMPOSITION", `${at}.compositionRef.name`),
    { ...revision, priority: 1 },
    age,
  ];
}

/** CompositeResourceClaimPrinterColumns. */
const claimColumns = [
  synced,
  ready,
  column("CONNECTION-SECRET", ".spec.writeConnectionSecretToRef.name"),
  age,
];

/** The fields of an object that it has. */
function given(object: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => (name in object ? [[name, object[name] ?? null]] : [])));
}

/** Those of objects that are not empty. */
function filled(objects: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(objects).filter(([, each]) => isObject(each) && Object.keys(each).length > 0),
  );
}

function objectAt(object: JsonObject, ...steps: readonly string[]): JsonObject {
  const found = get(object, ...steps);
  return isObject(found) ? found : {};
}
