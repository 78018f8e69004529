import {
  type Codec,
  chain,
  eachValue,
  get,
  isObject,
  type Json,
  lens,
  mapToList,
  move,
  type OpenCodec,
  reverse,
  table,
} from "antechamber";

/** The types of replicas that both versions have: what v1alpha1 calls the master is the chief. */
const byType = keysBy(table(["MASTER", "Chief"], ["PS", "PS"], ["WORKER", "Worker"]));

const states = keysBy(table(["Running", "active"], ["Succeeded", "succeeded"], ["Failed", "failed"]));

/** How many pods of a replica are in a state; a replica of which nothing is counted is there, too. */
const counts: Codec = {
  up: (status) => states.up(get(status, "ReplicasStates") ?? {}) ?? {},
  down: (counts) => {
    const counted = states.down(counts);
    return isObject(counted) && Object.keys(counted).length > 0 ? { ReplicasStates: counted } : {};
  },
};

/** A replica of v1alpha2 has no port; without this one that says nothing else would not be there at all. */
const portless: Codec = {
  up: (replica) => (isObject(replica) ? withoutPort(replica) : undefined),
  down: (replica) => replica,
};

const specs: Codec = reverse(mapToList("tfReplicaType"));
const statuses: Codec = reverse(mapToList("tf_replica_type"));

/** The lens from v1alpha1 to v1alpha2: lists of replicas become maps by their type, and a count is a field of its own. */
export const v1alpha1 = lens(
  move("spec.replicaSpecs", "spec.tfReplicaSpecs", chain(specs, chain(byType, eachValue(portless)))),
  move(
    "status.replicaStatuses",
    "status.tfReplicaStatuses",
    chain(statuses, chain(byType, eachValue(counts))),
  ),
);

/** A map whose keys have other names. What is at other keys stays in its own version. */
function keysBy(names: OpenCodec<string, string>): Codec {
  return { up: (older) => renamed(older, names.up), down: (newer) => renamed(newer, names.down) };
}

function renamed(map: Json, nameOf: (key: string) => string | undefined): Json | undefined {
  if (!isObject(map)) return undefined;
  const entries = Object.entries(map).flatMap(([key, value]) => {
    const name = nameOf(key);
    return name === undefined ? [] : [[name, value] as const];
  });
  return entries.length === 0 && Object.keys(map).length > 0 ? undefined : Object.fromEntries(entries);
}

function withoutPort({ tfPort: _, ...replica }: { readonly [name: string]: Json }): Json {
  return replica;
}
