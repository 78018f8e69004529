import { isZero } from "../../../src/checks/webhook/changes.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../../../src/json/json.ts";
import { annotated, type Conversion, Death, faultless, Panic, throughDoubles, withSpec } from "./webhooks.ts";

/** A conversion with one fault, and what must be found: `kind place check`. */
export interface Planted {
  readonly fault: string;
  readonly convert: Conversion;
  /** Every finding that is a fault; with `only`, the first of them. */
  readonly finds: readonly string[];
}

const back = (desired: string) => desired.endsWith("/v2");

/** The faultless conversion, and then a change where it goes to v1, of the spec. */
function then(change: (spec: JsonObject, from: JsonObject) => JsonObject): Conversion {
  return (object, desired) => {
    const made = faultless(object, desired);
    return back(desired) ? made : withSpec(made, (spec) => change(spec, object));
  };
}

const without = (name: string) => then((spec) => set(spec, name, undefined));

const spec = (object: JsonObject, name: string): Json | undefined => get(object, "spec", name);

let answers = 0;

/** Faults as they were made in real projects, and some that were not. */
export const planted: readonly Planted[] = [
  { fault: "none", convert: faultless, finds: [] },
  {
    fault: "zero values are printed, as Go does without omitempty",
    convert: (object, desired) =>
      withSpec(faultless(object, desired), (each) => ({
        size: 0,
        open: false,
        timeout: "0s",
        words: null,
        ports: [],
        ...each,
      })),
    finds: [],
  },
  {
    fault: "a quantity is printed otherwise",
    convert: then((each) => (each.memory === undefined ? each : { ...each, memory: String(each.memory) })),
    finds: [],
  },
  { fault: "a field is forgotten", convert: without("size"), finds: ["lost spec.size round trip"] },
  {
    fault: "a list of objects is forgotten",
    convert: without("ports"),
    finds: ["lost spec.ports round trip"],
  },
  {
    fault: "minutes become seconds",
    convert: then((each) => (each.timeout === "10m" ? { ...each, timeout: "10s" } : each)),
    finds: [],
  },
  {
    fault: "a number is off by one",
    convert: then((each) => (each.size === 3 ? { ...each, size: 4 } : each)),
    finds: ["became spec.size round trip"],
  },
  {
    fault: "one value of an enumeration is mapped to another",
    convert: then((each) => (each.mode === "Slow" ? { ...each, mode: "Fast" } : each)),
    finds: ["became spec.mode round trip"],
  },
  {
    fault: "an int64 goes through a double",
    convert: (object, desired) => throughDoubles(faultless(object, desired)) as JsonObject,
    finds: ["became spec.serial round trip"],
  },
  {
    fault: "a list is sorted",
    convert: then((each) => (isArray(each.words) ? { ...each, words: each.words.toSorted() } : each)),
    finds: ["became spec.words round trip"],
  },
  {
    fault: "a field moves to another one",
    convert: then(({ left, ...each }) => (left === undefined ? each : { ...each, right: left })),
    finds: ["moved spec.left round trip"],
  },
  {
    fault: "a field moves to another one, beside defaults",
    convert: then(({ left, ...each }) =>
      left === undefined ? each : { mode: "Fast", note: "none", right: left, ...each },
    ),
    finds: ["moved spec.left round trip"],
  },
  {
    fault: "one field takes another with it",
    convert: then((each) => (each.open === true ? set(each, "image", "b") : each)),
    finds: ["became spec.image round trip"],
  },
  {
    fault: "an object with a field is refused",
    convert: (object, desired) => {
      if (spec(object, "right") !== undefined) throw new Error("right is not supported");
      return faultless(object, desired);
    },
    finds: ["refused spec.right conversion"],
  },
  {
    fault: "every object is refused",
    convert: () => {
      throw new Error("unexpected conversion version");
    },
    finds: ["refused the whole object conversion"],
  },
  {
    fault: "a panic",
    convert: (object, desired) => {
      if (isArray(spec(object, "ports"))) throw new Panic();
      return faultless(object, desired);
    },
    finds: ["crashed spec.ports conversion"],
  },
  {
    fault: "a panic where a list is empty",
    convert: (object, desired) => {
      const ports = spec(object, "ports");
      if (isArray(ports) && ports.length === 0) throw new Panic();
      return faultless(object, desired);
    },
    finds: ["crashed spec.ports conversion"],
  },
  {
    fault: "a null is refused",
    convert: (object, desired) => {
      if (spec(object, "note") === null) throw new Error("note is null");
      return faultless(object, desired);
    },
    finds: ["refused spec.note conversion"],
  },
  {
    fault: "0 takes another value along",
    convert: then((each) => (each.size === 0 ? set(each, "image", "b") : each)),
    finds: ["became spec.image round trip"],
  },
  {
    fault: "zero values vanish, as with omitempty",
    convert: (object, desired) =>
      withSpec(faultless(object, desired), (each) =>
        Object.fromEntries(Object.entries(each).filter(([, value]) => !isZero(value))),
      ),
    finds: [],
  },
  {
    fault: "a status that the schema forbids ends the process",
    convert: (object, desired) => {
      const since = get(object, "status", "since");
      if (since !== undefined && !/^\d{4}-\d\d-\d\dT/.test(String(since))) throw new Death();
      return faultless(object, desired);
    },
    finds: [],
  },
  {
    fault: "the process ends",
    convert: (object, desired) => {
      if (spec(object, "mode") === "Slow") throw new Death();
      return faultless(object, desired);
    },
    finds: ["crashed the whole object conversion"],
  },
  {
    fault: "a value that CEL forbids ends the process",
    convert: (object, desired) => {
      if (spec(object, "left") !== undefined && spec(object, "right") !== undefined) throw new Death();
      return faultless(object, desired);
    },
    finds: [],
  },
  {
    fault: "a panic where there is no spec",
    convert: (object, desired) => {
      if (!isObject(object.spec)) throw new Panic();
      return faultless(object, desired);
    },
    finds: ["crashed the whole object conversion", "crashed status conversion"],
  },
  {
    fault: "labels are dropped",
    convert: (object, desired) => {
      const made = faultless(object, desired);
      return isObject(made.metadata) ? { ...made, metadata: set(made.metadata, "labels", undefined) } : made;
    },
    finds: ["lost metadata.labels round trip"],
  },
  {
    fault: "the name is changed",
    convert: (object, desired) => {
      const made = faultless(object, desired);
      return isObject(made.metadata) ? { ...made, metadata: { ...made.metadata, name: "b" } } : made;
    },
    finds: ["refused the whole object conversion"],
  },
  {
    fault: "answers are numbered",
    convert: then((each) => (each.size === undefined ? each : { ...each, timeout: `${++answers}s` })),
    finds: ["differs spec.size same request twice", "became spec.timeout round trip"],
  },
  {
    fault: "a stale annotation beats the edit",
    convert: (object, desired) => {
      const made = faultless(object, desired);
      if (!back(desired))
        return annotated(made, JSON.stringify(spec(object, "size") ?? 0), "example.com/size");
      const stored = get(object, "metadata", "annotations", "example.com/size");
      const bare = annotated(made, undefined, "example.com/size");
      return typeof stored === "string" && stored !== "0"
        ? withSpec(bare, (each) => ({ ...each, size: JSON.parse(stored) }))
        : bare;
    },
    finds: ["became spec.size edit"],
  },
  {
    fault: "what is hidden is restored only if nothing was edited",
    convert: (object, desired) => {
      if (!back(desired))
        return annotated(faultless(object, desired), JSON.stringify(object.spec ?? {}), "example.com/spec");
      const stored = get(object, "metadata", "annotations", "example.com/spec");
      const bare = annotated(faultless(object, desired), undefined, "example.com/spec");
      const { secret: _, ...shown } = JSON.parse(typeof stored === "string" ? stored : "{}");
      const isEdited = typeof stored === "string" && shown.image !== spec(object, "image");
      return isEdited ? withSpec(bare, (each) => set(each, "secret", undefined)) : bare;
    },
    finds: ["lost spec.secret edit"],
  },
  {
    fault: "a damaged annotation is a panic",
    convert: (object, desired) => {
      if (get(object, "metadata", "annotations", "example.com/secret") === "null") throw new Panic();
      return faultless(object, desired);
    },
    finds: ["crashed metadata.annotations[example.com/secret] damaged annotation"],
  },
  {
    fault: "a text that does not parse empties the object",
    convert: then((each) =>
      typeof each.timeout === "string" && !/^\d+m$/.test(each.timeout)
        ? { ...set(each, "timeout", undefined), image: "" }
        : each,
    ),
    finds: ["lost spec.timeout unread value"],
  },
  {
    fault: "a text that does not parse is refused, which the schema does not say",
    convert: (object, desired) => {
      const timeout = spec(object, "timeout");
      if (typeof timeout === "string" && !/^\d+m$/.test(timeout))
        throw new Error(`invalid duration ${timeout}`);
      return faultless(object, desired);
    },
    finds: [],
  },
];
