import { get, type JsonObject } from "../json/json.ts";
import { type Kinds, toHub, versionIndex } from "../kind.ts";
import type { Lister, ListerNeed } from "../lister.ts";
import { groupVersionOf } from "../resource.ts";

/** Listers over objects that were read from files; those of a served kind are shown in its hub version. */
export function offlineListers(objects: readonly JsonObject[], kinds: Kinds): (need: ListerNeed) => Lister {
  const shown = objects.map((object) => inHub(object, kinds));
  const byKind = Map.groupBy(shown, (object) => keyOf(groupOf(object), textAt(object, "kind")));
  return (need) => {
    const wanted = (byKind.get(keyOf(need.group, need.kind)) ?? []).filter((object) =>
      isWanted(object, need),
    );
    const byNamespace = Map.groupBy(wanted, (object) => textAt(object, "metadata", "namespace"));
    const byName = new Map(wanted.map((object) => [nameOf(object), object]));
    return {
      list: (namespace) => byNamespace.get(namespace) ?? [],
      get: (namespace, name) => byName.get(`${namespace}/${name}`),
      onChange: (listener) => {
        for (const after of wanted) listener({ after });
      },
    };
  };
}

/** Whether an object is among those that a need asks for. */
function isWanted(object: JsonObject, { namespace, name }: ListerNeed): boolean {
  return (
    (namespace ?? textAt(object, "metadata", "namespace")) === textAt(object, "metadata", "namespace") &&
    (name ?? textAt(object, "metadata", "name")) === textAt(object, "metadata", "name")
  );
}

function nameOf(object: JsonObject): string {
  return `${textAt(object, "metadata", "namespace")}/${textAt(object, "metadata", "name")}`;
}

function inHub(object: JsonObject, kinds: Kinds): JsonObject {
  const kind = kinds.find(groupOf(object), textAt(object, "kind"));
  const version = kind === undefined ? undefined : versionIndex(kind, object.apiVersion);
  return kind === undefined || version === undefined ? object : toHub(kind, object, version);
}

function groupOf(object: JsonObject): string {
  return groupVersionOf(textAt(object, "apiVersion")).group;
}

function keyOf(group: string, kind: string): string {
  return `${group}/${kind}`;
}

function textAt(object: JsonObject, ...path: readonly string[]): string {
  const value = get(object, ...path);
  return typeof value === "string" ? value : "";
}
