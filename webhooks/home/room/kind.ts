import {
  type Cause,
  type Circumstances,
  defineKind,
  type Findings,
  get,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  lister,
  set,
  version,
} from "antechamber";
import type { RoomV1 } from "./types.ts";
import { v1beta1 } from "./v1beta1.ts";

export default defineKind({
  group: "home.antechamber.dev",
  kind: "Room",
  plural: "rooms",
  scope: "Namespaced",
  categories: ["home"],
  versions: [
    version("v1beta1", v1beta1, {
      retired: {
        "spec.owner": "use a label or an annotation of your own for the owner",
        "status.phase": "report status.conditions instead",
      },
    }),
    version("v1"),
  ],
  needs: { rooms: lister("home.antechamber.dev", "Room") },
  default: transitionFromAnnotation,
  validate: lightBelongsToOneRoom,
});

const defaultTransition = "home.antechamber.dev/default-transition";

/**
 * Lights without a transition get the one in the Room's annotation. The room was not validated yet: the API server calls
 * mutating webhooks before it checks the schema.
 */
function transitionFromAnnotation(room: JsonObject): JsonObject {
  const transition = get(room, "metadata", "annotations", defaultTransition);
  const lights = get(room, "spec", "lights");
  if (typeof transition !== "string" || !isArray(lights)) return room;
  const filled = lights.map((light) =>
    isObject(light) && !Object.hasOwn(light, "transition") ? { ...light, transition } : light,
  );
  return set(room, "spec", "lights", filled);
}

/** A light that is new in this Room must not belong to another Room of the namespace. */
function lightBelongsToOneRoom(room: RoomV1, { oldObject, namespace, listers }: Circumstances): Findings {
  const before = new Set(lightNames(oldObject));
  // An object that did not come through an API server may have any metadata, null too.
  const self = get(room, "metadata", "name");
  const others = (listers.rooms?.list(namespace) ?? []).filter(
    (other) => get(other, "metadata", "name") !== self,
  );
  const owners = new Map(others.flatMap((other) => lightNames(other).map((name) => [name, other] as const)));
  const causes = lightNames(room).flatMap((name, index): readonly Cause[] => {
    const owner = owners.get(name);
    return owner === undefined || name === undefined || before.has(name) ? [] : [taken(index, name, owner)];
  });
  return { causes };
}

function taken(index: number, name: Json, owner: JsonObject): Cause {
  const room = JSON.stringify(get(owner, "metadata", "name"));
  return {
    path: ["spec", "lights", index, "name"],
    reason: "FieldValueInvalid",
    message: `Invalid value: ${JSON.stringify(name)}: the light belongs to Room ${room}; remove it there first`,
  };
}

/** The names of a Room's lights by index; undefined for a light without a name, as a stored Room may have. */
function lightNames(room: JsonObject | undefined): readonly (string | undefined)[] {
  const lights = get(room, "spec", "lights");
  if (!isArray(lights)) return [];
  return lights.map((light) => {
    const name = get(light, "name");
    return typeof name === "string" ? name : undefined;
  });
}
