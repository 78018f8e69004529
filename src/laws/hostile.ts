import fc from "fast-check";
import { equal } from "../json/equal.ts";
import { get, isObject, type Json, type JsonObject, set } from "../json/json.ts";
import { type Difference, differenceOf } from "../judge/differences.ts";
import { bareOf, contentOf } from "./bare.ts";
import { coerced } from "./decode.ts";
import { edited, editsIn } from "./edits.ts";
import {
  annotationsOf,
  fieldIn,
  fieldsOf,
  forgeriesOf,
  withAnnotations,
  withField,
  withForgery,
} from "./forgeries.ts";
import { type Claim, claim, finding, type Law } from "./law.ts";
import { historiesOf, readAt, type Setting, stepsOf, storedBy, trip, versionAt, wayOf } from "./setting.ts";
import { misconverted } from "./total.ts";

/** Law 11. */
export const hostile: Law = {
  name: "Hostile",
  statement:
    "A damaged or forged carrier never fails a conversion. A client that may only write /status cannot change the spec through it, and one that may only write the main endpoint cannot change the status.",
  claims: (setting) => [
    ...setting.kind.versions.keys().map((version) => servedAnyhow(setting, version)),
    ...(setting.kind.hub.carriesStatus
      ? [statusWriter, mainWriter].flatMap((writer) =>
          [...setting.kind.versions.keys()].map((version) => writer(setting, version)),
        )
      : []),
    ...setting.kind.versions.keys().map((version) => creator(setting, version)),
  ],
};

/** Real carriers of other objects of the kind, in the hub and in views: forgeries are derived from them. */
function carriersOf(setting: Setting): fc.Arbitrary<JsonObject> {
  const versions = fc.constantFrom(...setting.kind.versions.keys());
  return fc
    .tuple(historiesOf(setting), versions)
    .map(([history, version]) => fieldIn(viewOf(setting, storedBy(setting, history), version)));
}

function servedAnyhow(setting: Setting, version: number): Claim {
  const others = [...setting.kind.versions.keys()].filter((each) => each !== version);
  const says = "an object with forged carriers is converted, and its own fields are read back";
  return claim(
    says,
    wayOf(setting, version, ...others.slice(0, 1), version),
    fc.tuple(historiesOf(setting), forgeriesOf(carriersOf(setting))),
    ([history, forgery]) => {
      const object = withForgery(viewOf(setting, storedBy(setting, history), version), forgery);
      const steps = () => [...stepsOf(setting, history), `forge ${JSON.stringify(forgery)}`];
      for (const to of others) {
        const answer = setting.engine.convert(object, setting.kind.chain, version, to);
        const wrong = misconverted(setting, object, answer, to);
        if (wrong !== undefined) return finding(object, steps, wrong);
        if (version === setting.hub) continue;
        const expected = settled(bareOf(object));
        const lost = differenceOf(expected, settled(bareOf(trip(setting, answer, to, version))));
        if (lost !== undefined) return finding(object, steps, lost);
      }
      return undefined;
    },
  );
}

/** A client that may only write /status: the server restores everything else, and the keeper the carriers. */
function statusWriter(setting: Setting, version: number): Claim {
  const { name } = versionAt(setting, version);
  const says = `a writer of /status at ${name} changes no spec at any version`;
  const cases = fc.record({
    history: historiesOf(setting),
    field: fieldsOf(carriersOf(setting)),
    oversize: fc.boolean(),
  });
  return claim(says, wayOf(setting, version), cases, ({ history, field, oversize }) => {
    const stored = storedBy(setting, history);
    const view = viewOf(setting, stored, version);
    // A view whose annotation is omitted for its size has only the status copy.
    const shown = oversize && version !== setting.hub ? withoutAnnotation(view) : view;
    const written = field === undefined ? set(shown, "status", undefined) : withField(shown, field);
    const write = { operation: "UPDATE", subresource: "status", atHub: version === setting.hub } as const;
    const kept = setting.engine.keep(written, shown, write, setting.kind.chain);
    const after = storedFrom(setting, set(shown, "status", kept.status), version);
    const steps = () => [
      ...stepsOf(setting, history),
      field === undefined
        ? `remove status at ${name}, by a write of /status`
        : `write status.conversionData to /status at ${name}: ${JSON.stringify(field)}`,
    ];
    return finding(stored, steps, changedIn(setting, stored, after, "spec"));
  });
}

/** A client that may only write the main endpoint: the server restores the status. */
function mainWriter(setting: Setting, version: number): Claim {
  const { name } = versionAt(setting, version);
  const says = `a writer of the main endpoint at ${name} changes no status at any version`;
  const cases = fc.tuple(
    historiesOf(setting),
    annotationsOf(carriersOf(setting)),
    setting.edits[version] ?? fc.constant([]),
  );
  return claim(says, wayOf(setting, version), cases, ([history, annotations, edits]) => {
    const stored = storedBy(setting, history);
    const view = viewOf(setting, stored, version);
    const written = withAnnotations(readAt(setting, edited(view, edits), version), annotations ?? {});
    const write = { operation: "UPDATE", subresource: "", atHub: version === setting.hub } as const;
    const kept = setting.engine.keep(written, view, write, setting.kind.chain);
    const after = storedFrom(setting, set(kept, "status", view.status), version);
    const steps = () => [
      ...stepsOf(setting, history),
      ...editsIn(view, edits).map((each) => `${name}: ${each}`),
      `write it to the main endpoint at ${name} ${withText(annotations)}`,
    ];
    return finding(stored, steps, changedIn(setting, stored, after, "status"));
  });
}

/** A client that creates an object: the server drops the status. */
function creator(setting: Setting, version: number): Claim {
  const { name } = versionAt(setting, version);
  const says = `a client that creates at ${name} sets no status at any version`;
  const cases = fc.tuple(historiesOf(setting), annotationsOf(carriersOf(setting)));
  return claim(says, wayOf(setting, version), cases, ([history, annotations]) => {
    const view = viewOf(setting, storedBy(setting, history), version);
    const written = withAnnotations(view, annotations ?? {});
    const atHub = version === setting.hub;
    const write = { operation: "CREATE", subresource: "", atHub } as const;
    const kept = setting.engine.keep(written, undefined, write, setting.kind.chain);
    const metadata = {
      ...(isObject(kept.metadata) ? kept.metadata : {}),
      uid: "8a1b7c1e-9999",
      generation: 1,
    };
    const created = set(set(kept, "status", undefined), "metadata", metadata);
    const after = storedFrom(setting, created, version);
    const empty = set(after, "status", undefined);
    const steps = () => [
      ...stepsOf(setting, history),
      `create it anew from what ${name} shows of it, ${withText(annotations)}`,
    ];
    for (const each of setting.kind.versions.keys()) {
      const { status } = shownContent(setting, after, each);
      if (status !== undefined)
        return {
          object: empty,
          steps: steps(),
          field: `status at ${versionAt(setting, each).name}`,
          expected: undefined,
          actual: status,
        };
    }
    return undefined;
  });
}

/** In which annotations a write brings carriers along, in words. */
function withText(annotations: JsonObject | undefined): string {
  return annotations === undefined || Object.keys(annotations).length === 0
    ? "without annotations of a carrier"
    : `with the annotations ${JSON.stringify(annotations)}`;
}

/** The first difference between two hub objects at any version, in their status or in the rest of their content. */
function changedIn(
  setting: Setting,
  before: JsonObject,
  after: JsonObject,
  part: "spec" | "status",
): Difference | undefined {
  if (equal(before, after)) return undefined;
  for (const version of setting.kind.versions.keys()) {
    const [then, now] = [before, after].map((each) => {
      const content = shownContent(setting, each, version);
      return part === "status" ? content.status : set(content, "status", undefined);
    });
    const found = differenceOf(then as Json | undefined, now as Json | undefined, [
      versionAt(setting, version).name,
    ]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What a version shows of a hub object. The API server prunes a status that the version's schema does not have. */
function shownContent(setting: Setting, stored: JsonObject, version: number): JsonObject {
  const content = contentOf(viewOf(setting, stored, version));
  return versionAt(setting, version).shape.properties.has("status")
    ? content
    : set(content, "status", undefined);
}

/**
 * An object without empty containers beside a carrier: whether they were empty or absent is recorded only in the
 * carrier, which may be forged.
 */
function settled(object: JsonObject): JsonObject {
  const content = contentOf(object);
  const { apiVersion, kind, metadata } = object;
  return {
    ...content,
    apiVersion: apiVersion ?? null,
    kind: kind ?? null,
    metadata: coerced(metadata) ?? null,
  };
}

function viewOf(setting: Setting, stored: JsonObject, version: number): JsonObject {
  return version === setting.hub ? stored : trip(setting, stored, setting.hub, version);
}

function storedFrom(setting: Setting, object: JsonObject, version: number): JsonObject {
  return version === setting.hub ? object : trip(setting, object, version, setting.hub);
}

function withoutAnnotation(object: JsonObject): JsonObject {
  return set(bareOf(object), "status", get(object, "status"));
}
