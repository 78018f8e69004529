import fc from "fast-check";
import { byteLength } from "../conversion/platform.ts";
import { get, isObject, type Json, type JsonObject, set } from "../json/json.ts";
import { type Difference, differenceOf } from "../judge/differences.ts";
import { bareOf, contentOf } from "./bare.ts";
import { type Claim, claim, finding, type Law } from "./law.ts";
import { withoutEmpty } from "./places.ts";
import { created, read, type Stored, store, taken } from "./server.ts";
import { type Setting, versionAt } from "./setting.ts";

/** The size of all annotations of an object that an API server accepts (apimachinery, pkg/api/validation, TotalAnnotationSizeLimitB). */
const limit = 256 * 1024;

/** The carriers give way to the annotations of users. */
export const crowded: Law = {
  name: "Crowded",
  statement:
    "Annotations that a client may write without the carrier it may write beside the carrier, up to the API server's limit of 256 KiB, and nothing is lost.",
  needs: "a status subresource whose status requires no fields",
  claims: (setting) =>
    setting.kind.hub.carriesStatus
      ? setting.kind.versions
          .keys()
          .toArray()
          .map((version) => annotated(setting, version))
      : [],
};

function annotated(setting: Setting, version: number): Claim {
  const starts = setting.kind.versions
    .keys()
    .map((at) => (setting.objects[at]?.valid ?? fc.constant({})).map((object) => ({ at, object })));
  // What the client's annotations leave free: less than a carrier takes, or a little more.
  const cases = fc.record({ start: fc.oneof(...starts), room: fc.nat({ max: 600 }) });
  const { name } = versionAt(setting, version);
  const says = `a client at ${name} fills the annotations`;
  return claim(says, name, cases, ({ start, room }) => {
    const made = created(setting, start.object, start.at, "8a1b7c1e-0000");
    const stored = store(setting, undefined, made, start.at);
    const before = read(setting, stored, version);
    const written = withAnnotation(before, limit - room - sizeOf(bareOf(before)));
    const accepted = taken(setting, before, written, version, "main");
    const steps = () => [
      `create at ${versionAt(setting, start.at).name}`,
      `write at ${name} annotations of ${sizeOf(bareOf(written))} bytes, without the carrier`,
    ];
    const size = sizeOf(accepted);
    if (size > limit)
      return {
        object: stored.object,
        steps: steps(),
        field: "bytes of metadata.annotations",
        expected: limit,
        actual: size,
      };
    return finding(stored.object, steps, lostIn(setting, stored, store(setting, stored, accepted, version)));
  });
}

/** An object with an annotation of its client's that takes so many bytes. */
function withAnnotation(object: JsonObject, bytes: number): JsonObject {
  const metadata = isObject(object.metadata) ? object.metadata : {};
  const annotations = get(metadata, "annotations");
  const key = "example.org/notes";
  const all = {
    ...(isObject(annotations) ? annotations : {}),
    [key]: "n".repeat(Math.max(0, bytes - key.length)),
  };
  return set(object, "metadata", { ...metadata, annotations: all });
}

function sizeOf(object: JsonObject): number {
  const annotations = get(object, "metadata", "annotations");
  return Object.entries(isObject(annotations) ? annotations : {}).reduce(
    (sum, [key, value]) => sum + byteLength(key) + (typeof value === "string" ? byteLength(value) : 0),
    0,
  );
}

/**
 * The first difference of an object for the readers of any version, but for annotations, for defaults of that version, which every
 * write there stores, and for what is empty, which goes with a default that no other version has.
 */
function lostIn(setting: Setting, before: Stored, after: Stored): Difference | undefined {
  for (const version of setting.kind.versions.keys()) {
    const { defaulted } = versionAt(setting, version);
    const [then, now] = [before, after].map(
      (each): Json => withoutEmpty(contentOf(defaulted(read(setting, each, version)))),
    );
    const found = differenceOf(then, now, [versionAt(setting, version).name]);
    if (found !== undefined) return found;
  }
  return undefined;
}
