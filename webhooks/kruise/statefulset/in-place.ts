import {
  type Cause,
  equal,
  get,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type Path,
  set,
} from "antechamber";
import { parseJson } from "antechamber/json";
import { forbidden } from "../shared/fault.ts";
import { writeGo } from "../shared/go-type.ts";
import { podSpec } from "../shared/pod-types.ts";

/**
 * Faults of an update that may change pods only in place: anything but the image of a container (OpenKruise,
 * statefulset/validating, validateTemplateInPlaceOnly).
 */
export function inPlaceFaults(spec: JsonObject, oldObject: JsonObject): readonly Cause[] {
  if (get(spec, "updateStrategy", "rollingUpdate", "podUpdatePolicy") !== "InPlaceOnly") return [];
  const [before, after] = [get(oldObject, "spec", "template", "spec"), get(spec, "template", "spec")].map(
    decoded,
  );
  if (!isObject(before) || !isObject(after)) return [];
  return changedPaths(withoutImages(before), withoutImages(after)).flatMap((path) =>
    forbidden(["spec", "template", "spec", ...path], "InPlaceOnly allows changes of images only"),
  );
}

/** What Go's types hold of a pod: empty values are no changes. */
function decoded(pod: Json | undefined): Json {
  return parseJson(writeGo(podSpec, pod));
}

/** The pod with one image in place of all: an image that is added or removed is still a change. */
function withoutImages(pod: JsonObject): JsonObject {
  const containers = get(pod, "containers");
  if (!isArray(containers)) return pod;
  const alike = containers.map((each) =>
    isObject(each) && get(each, "image") !== undefined ? set(each, "image", "") : each,
  );
  return set(pod, "containers", alike);
}

/** The highest paths at which two values differ. */
function changedPaths(before: Json | undefined, after: Json | undefined): readonly Path[] {
  if (before === undefined || after === undefined) return before === after ? [] : [[]];
  if (equal(before, after)) return [];
  if (isObject(before) && isObject(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) =>
      changedPaths(get(before, key), get(after, key)).map((path) => [key, ...path]),
    );
  }
  if (isArray(before) && isArray(after) && before.length === after.length) {
    return after.flatMap((item, index) => changedPaths(before[index], item).map((path) => [index, ...path]));
  }
  return [[]];
}
