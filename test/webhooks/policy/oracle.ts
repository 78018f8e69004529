import { get, isArray, isObject, type Json, type JsonObject } from "../../../src/json/json.ts";

/**
 * Whether a policy injects into a pod, written from the table of the switch alone, first decision first:
 * paused, match, host network, ignored namespace, illegal default, the pod's key (label over annotation), never, always, the
 * namespace's key (label over annotation), the default.
 */
export function oracle(policy: JsonObject, pod: JsonObject, namespace: JsonObject): boolean {
  const spec = get(policy, "spec");
  const labels = get(pod, "metadata", "labels");
  const annotations = get(pod, "metadata", "annotations");
  const name = String(get(namespace, "metadata", "name"));
  if (get(spec, "paused") === true) return false;
  if (!meetsAll(get(spec, "match", "selector"), labels)) return false;
  if (!meetsAll({ matchExpressions: get(spec, "match", "annotations") ?? [] }, annotations)) return false;
  const ofNamespace = {
    ...(get(namespace, "metadata", "labels") as JsonObject),
    "kubernetes.io/metadata.name": name,
  };
  if (!meetsAll(get(spec, "match", "namespaceSelector"), ofNamespace)) return false;
  if (get(pod, "spec", "hostNetwork") === true && get(spec, "match", "hostNetwork") !== "Include")
    return false;
  const ignored = get(spec, "match", "ignoredNamespaces") ?? [
    "kube-system",
    "kube-public",
    "kube-node-lease",
    "local-path-storage",
  ];
  if (isArray(ignored) && ignored.includes(name)) return false;
  const found = get(spec, "switch");
  if (found === undefined) return true;
  const byDefault = get(found, "default") ?? "Disabled";
  if (byDefault !== "Enabled" && byDefault !== "Disabled") return false;
  const own = switchValue(found, "label", labels) ?? switchValue(found, "annotation", annotations);
  const decided = meaning(found, own);
  if (decided !== undefined) return decided;
  if (someMatches(get(found, "never"), labels)) return false;
  if (someMatches(get(found, "always"), labels)) return true;
  const metadata = get(namespace, "metadata");
  const shared =
    switchValue(found, "namespaceLabel", get(metadata, "labels")) ??
    switchValue(found, "namespaceAnnotation", get(metadata, "annotations"));
  return meaning(found, shared) ?? byDefault === "Enabled";
}

function switchValue(found: Json, key: string, values: Json | undefined): string | undefined {
  const name = get(found, key);
  const value = typeof name === "string" ? get(values, name) : undefined;
  return typeof value === "string" ? value : undefined;
}

function meaning(found: Json, value: string | undefined): boolean | undefined {
  if (value === undefined) return undefined;
  const [on, off] = [get(found, "onValues") ?? ["true"], get(found, "offValues") ?? ["false"]];
  if (isArray(off) && off.includes(value)) return false;
  return isArray(on) && on.includes(value) ? true : undefined;
}

function someMatches(selectors: Json | undefined, labels: Json | undefined): boolean {
  return (isArray(selectors) ? selectors : []).some((each) => {
    const size = Object.keys((get(each, "matchLabels") ?? {}) as JsonObject).length;
    const expressions = get(each, "matchExpressions");
    return size + (isArray(expressions) ? expressions.length : 0) > 0 && meetsAll(each, labels);
  });
}

/** An absent selector is met by everything, one with an unknown operator by nothing. */
function meetsAll(selector: Json | undefined, labels: Json | undefined): boolean {
  const equal = Object.entries((get(selector, "matchLabels") ?? {}) as JsonObject);
  const expressions = get(selector, "matchExpressions") ?? [];
  const labelValue = (key: Json | undefined) =>
    isObject(labels) && Object.hasOwn(labels, String(key)) ? labels[String(key)] : undefined;
  return (
    equal.every(([key, value]) => labelValue(key) === value) &&
    (isArray(expressions) ? expressions : []).every((each) => {
      const value = labelValue(get(each, "key"));
      const values = get(each, "values");
      const isIn = isArray(values) && value !== undefined && values.includes(value);
      switch (get(each, "operator")) {
        case "In":
          return isIn;
        case "NotIn":
          return !isIn;
        case "Exists":
          return value !== undefined;
        case "DoesNotExist":
          return value === undefined;
        default:
          return false;
      }
    })
  );
}
