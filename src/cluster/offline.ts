import { get, type JsonObject } from "../json/json.ts";
import { type Kinds, type Lister, toHub, versionIndex } from "../kind.ts";
import { groupVersionOf } from "../resource.ts";

/** Listers over objects that were read from files; those of a served kind are shown in its hub version. */
export function offlineListers(
  objects: readonly JsonObject[],
  kinds: Kinds,
): (group: string, kind: string) => Lister {
  const shown = objects.map((object) => inHub(object, kinds));
  const byKind = Map.groupBy(shown, (object) => keyOf(groupOf(object), textAt(object, "kind")));
  return (group, kind) => {
    const byNamespace = Map.groupBy(byKind.get(keyOf(group, kind)) ?? [], (object) =>
      textAt(object, "metadata", "namespace"),
    );
    return { list: (namespace) => byNamespace.get(namespace) ?? [] };
  };
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
