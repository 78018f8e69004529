import { groupVersionOf } from "../apimachinery/resource.ts";
import { type JsonObject, textAt } from "../json/json.ts";
import { openGates } from "../kind/gate.ts";
import { type Kinds, toHub, versionIndex } from "../kind/kind.ts";
import type { Lister, ListerNeed } from "../kind/lister.ts";

/** The options of offline listers. */
interface OfflineOptions {
  readonly now: () => Date;
  /** The feature gates that the user set. */
  readonly gates?: ReadonlyMap<string, boolean>;
}

/**
 * Listers over objects that were read from files. Objects of a custom kind are listed as a cluster would store them: in the
 * hub version, with the defaults of its schema and of the kind.
 */
export function offlineListers(
  objects: readonly JsonObject[],
  kinds: Kinds,
  { now, gates = new Map() }: OfflineOptions,
): (need: ListerNeed) => Lister {
  const shown = objects.map((object) => stored(object, kinds, { now, gates }));
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

/** Whether an object belongs to a need. */
function isWanted(object: JsonObject, { namespace, name }: ListerNeed): boolean {
  return (
    (namespace ?? textAt(object, "metadata", "namespace")) === textAt(object, "metadata", "namespace") &&
    (name ?? textAt(object, "metadata", "name")) === textAt(object, "metadata", "name")
  );
}

function nameOf(object: JsonObject): string {
  return `${textAt(object, "metadata", "namespace")}/${textAt(object, "metadata", "name")}`;
}

/** An object as it would be stored; the listers of its defaulting function are empty. */
function stored(object: JsonObject, kinds: Kinds, { now, gates = new Map() }: OfflineOptions): JsonObject {
  const kind = kinds.find(groupOf(object), textAt(object, "kind"));
  const version = kind === undefined ? undefined : versionIndex(kind, object.apiVersion);
  if (kind === undefined || version === undefined) return object;
  const hub = kind.hub.defaulted(toHub(kind, kind.versions[version]?.defaulted(object) ?? object, version));
  const { default: fill, needs = {} } = kind.definition;
  const empty = offlineListers([], kinds, { now, gates });
  return (
    fill?.(hub, {
      operation: "CREATE",
      namespace: textAt(hub, "metadata", "namespace"),
      now: now(),
      listers: Object.fromEntries(Object.entries(needs).map(([name, need]) => [name, empty(need)])),
      gates: openGates(kind.definition.gates, gates),
    }) ?? hub
  );
}

function groupOf(object: JsonObject): string {
  return groupVersionOf(textAt(object, "apiVersion")).group;
}

function keyOf(group: string, kind: string): string {
  return `${group}/${kind}`;
}
