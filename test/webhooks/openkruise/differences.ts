import { selectorOf } from "../../../src/apimachinery/selector.ts";
import { parseJson } from "../../../src/json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../../../src/json/json.ts";
import type { Path } from "../../../src/json/path.ts";
import { type GoType, typeFaults, writeGo } from "../../../webhooks/kruise/shared/go-type.ts";
import { recordedFields } from "../../../webhooks/kruise/shared/recorded-types.ts";

// Where our answer about a SidecarSet is meant to differ from OpenKruise's. Each difference is recognised by the input alone, so
// that it also holds for cases of another folder.

/** Members of containers and volumes that OpenKruise's Go types do not have: it removes them, we keep them. */
export function unknownMembers(object: JsonObject): readonly Path[] {
  return Object.entries(recordedFields).flatMap(([field, type]) =>
    unknownBelow(type, get(object, "spec", field), ["spec", field]),
  );
}

/** Whether OpenKruise cannot decode the object, so that its mutating webhook rejects it: ours leaves that to the validating one. */
export function isUnreadable(object: JsonObject): boolean {
  return Object.entries(recordedFields).some(
    ([field, type]) => typeFaults(type, get(object, "spec", field), []).length > 0,
  );
}

/** Whether this is Go's message about an object that it cannot decode. */
export function isDecodeError(message: Json | undefined): boolean {
  return typeof message === "string" && decodeError.test(message);
}

const decodeError =
  /^(?:json: cannot unmarshal (?:array|bool|number|object|string) into Go struct field [A-Z]\w+\.[\w.]+ of type [\w.[\]*]+|quantities must match the regular expression '.+'|unable to parse quantity's suffix)$/;

/** Whether OpenKruise's mutating webhook panics, since a source container has no name. Ours leaves that to the validating one. */
export function namesNoSource(object: JsonObject): boolean {
  const containers = ["containers", "initContainers"].flatMap((list) => itemsOf(get(object, "spec", list)));
  return containers
    .flatMap((container) => itemsOf(get(container, "transferEnv")))
    .some((item) => {
      const from = get(item, "sourceContainerNameFrom");
      return isObject(from) && (get(from, "fieldRef") ?? null) === null;
    });
}

/** An object as OpenKruise decodes it: containers, volumes and the like without members that its types do not have. */
export function knownPart(object: JsonObject): JsonObject {
  const { spec } = object;
  if (!isObject(spec)) return object;
  const known = Object.entries(recordedFields).reduce<JsonObject>((here, [field, type]) => {
    const value = get(spec, field);
    return value === undefined ? here : set(here, field, parseJson(writeGo(type, value)));
  }, spec);
  return set(object, "spec", known);
}

/**
 * OpenKruise treats a volume whose source it does not know like one without a source, and adds an emptyDir as its second source. We
 * leave it alone.
 */
export function withoutSecondSource(answer: JsonObject, input: JsonObject): JsonObject {
  const { spec } = answer;
  const before = itemsOf(get(input, "spec", "volumes"));
  const volumes = isObject(spec) ? get(spec, "volumes") : undefined;
  if (!isObject(spec) || !isArray(volumes)) return answer;
  const own = volumes.map((volume, index) =>
    isObject(volume) &&
    isObject(before[index]) &&
    Object.keys(before[index]).length > 1 &&
    !("emptyDir" in before[index])
      ? set(volume, "emptyDir", undefined)
      : volume,
  );
  return set(answer, "spec", set(spec, "volumes", own));
}

function unknownBelow(type: GoType, value: Json | undefined, path: Path): readonly Path[] {
  if (typeof type === "string" || value === undefined || value === null) return [];
  if ("list" in type) {
    return itemsOf(value).flatMap((item, index) => unknownBelow(type.list, item, [...path, index]));
  }
  if ("map" in type || !isObject(value)) return [];
  return Object.entries(value).flatMap(([name, below]) => {
    const field = type.struct.get(name);
    return field === undefined ? [[...path, name]] : unknownBelow(field.type, below, [...path, name]);
  });
}

function itemsOf(value: Json | undefined): readonly Json[] {
  return isArray(value) ? value : [];
}

/** Whether some labels match both selectors: tries each label that they name with each value named, another one, and without. */
export function canMatchTogether(a: Json | undefined, b: Json | undefined): boolean {
  const readings = [a ?? null, b ?? null].map(selectorOf);
  const requirements = readings.flatMap((each) => ("selector" in each ? each.selector.requirements : []));
  let labels: readonly Readonly<Record<string, string>>[] = [{}];
  for (const [key, about] of Map.groupBy(requirements, (each) => each.key)) {
    const choices = [undefined, "another", ...new Set(about.flatMap(({ values }) => values))];
    labels = labels.flatMap((each) =>
      choices.map((value) => (value === undefined ? each : { ...each, [key]: value })),
    );
  }
  return labels.some((each) =>
    readings.every((reading) => "selector" in reading && reading.selector.matches(each)),
  );
}

/** OpenKruise's own test (pkg/util/selector.go, IsSelectorOverlapping): neither selector excludes all that the other one requires. */
export function kruiseOverlap(a: Json | undefined, b: Json | undefined): boolean {
  return !excludes(a, b) && !excludes(b, a);
}

/** Whether a selector excludes all values of a label that another one names; labels that the other one does not name are absent. */
function excludes(named: Json | undefined, selector: Json | undefined): boolean {
  const known = new Map<string, "any" | readonly string[]>();
  for (const { key, operator, values } of requirementsOf(named)) {
    const before = known.get(key);
    if (operator === "Exists") known.set(key, "any");
    if (operator === "In") known.set(key, before === "any" ? before : [...(before ?? []), ...values]);
  }
  return requirementsOf(selector).some(({ key, operator, values }) => {
    const there = known.get(key);
    if (operator === "Exists") return there === undefined;
    if (operator === "DoesNotExist") return there !== undefined;
    if (there === undefined || there === "any") return false;
    return operator === "In"
      ? !there.some((value) => values.includes(value))
      : there.every((value) => values.includes(value));
  });
}

function requirementsOf(selector: Json | undefined) {
  const reading = selectorOf(selector);
  return "selector" in reading ? reading.selector.requirements : [];
}

/** The fields at which OpenKruise may report a fault that we report at this one: it often omits the item of a list, or has another name. */
export function kruiseField(field: string, detail: string): readonly string[] {
  return [
    field,
    ...fieldRules.flatMap(([pattern, instead, only]) =>
      pattern.test(field) && (only === undefined || only.test(detail))
        ? [field.replace(pattern, instead)]
        : [],
    ),
  ];
}

const list = "(?:initContainers|containers)";
const fieldRules: readonly (readonly [ours: RegExp, kruise: string, detail?: RegExp])[] = [
  [/^spec\.containers\[\d+\]\.podInjectPolicy$/, "spec.container.podInjectPolicy"],
  [/^spec\.containers\[\d+\]\.shareVolumePolicy\.type$/, "spec.container.shareVolumePolicy"],
  [
    new RegExp(`^spec\\.${list}(\\[\\d+\\]\\.transferEnv)\\[\\d+\\]\\.sourceContainerNameFrom(\\.fieldRef)`),
    "spec$1$2",
  ],
  [new RegExp(`^spec\\.${list}(\\[\\d+\\]\\.resourcesPolicy)`), "spec$1"],
  [/^spec\.injectionStrategy\.revision/, "revision"],
  [/^spec\.updateStrategy$/, "updateStrategy", /^Partition and Selector/],
  [/^(spec\.updateStrategy\.(?:priority|scatter)Strategy)[.[].*$/, "$1"],
  [new RegExp(`^spec\\.${list}\\[\\d+\\]\\.name$`), "spec.containers", /already exist in/],
  [/^(spec\.containers)\[\d+\](\.name|\.upgradeStrategy\.upgradeType)$/, "$1$2", /^container /],
  [/^(spec\.volumes)\[\d+\]\.name$/, "$1", /is in conflict with/],
  [/^(spec\.patchPodMetadata)\[.*$/, "$1"],
  [/^spec\.(patchPodMetadata)\[\d+\](\.annotations)$/, "$1$2"],
  [/(\.volumeMounts)\[\d+\](\.(?:subPath|subPathExpr|mountPropagation|recursiveReadOnly))$/, "$1$2"],
  [/(\.envFrom)\[\d+\]$/, "$1"],
  [/(\.httpHeaders)\[\d+\]\.name$/, "$1"],
  [/(\.resizePolicy)\[\d+\]\.(?:resourceName|restartPolicy)$/, "$1"],
  [/(\.accessModes)\[\d+\]$/, "$1"],
  [/\.resources\.requests\.storage$/, ".resources[storage]"],
  [/\.gcePersistentDisk\./, ".persistentDisk."],
  [/\.downwardAPI$/, ".downwarAPI", /more than 1 volume type/],
  [/\.cephfs$/, ".cephFS", /more than 1 volume type/],
  [/\.dataSource$/, "", /dataSourceRef/],
  [/(\.downwardAPI)\.items\[\d+\]/, "$1"],
  [/(\.projected)\.sources\[.*$/, "$1", /^conflicting duplicate paths/],
  [/(\.projected)\.sources\[\d+\]\.serviceAccountToken(\.path)$/, "$1$2"],
  [/\.initiatorName$/, ".initiatorname"],
  [/(\.csi)\.nodePublishSecretRef(\.name)$/, "$1$2"],
  [/^(spec\.initContainers)\[\d+\](.*\.hostPort)$/, "$1[0]$2"],
  [/(\.matchLabels)[.[].*$/, "$1"],
  // A key of a map: the API server prints it in brackets.
  [/(\.(?:limits|requests))\.([\w-]+)$/, "$1[$2]"],
  [/(\.options)\.([\w-]+)$/, "$1[$2]"],
];
