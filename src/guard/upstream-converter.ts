import { annotationLimit } from "../apimachinery/limits.ts";
import { groupVersionOf } from "../apimachinery/resource.ts";
import { carrierPrefix, detach, sizeOfAnnotations } from "../conversion/carriers.ts";
import { type Converter, Unanswered } from "../conversion/lens.ts";
import { isMappable, type MappedMetadata } from "../conversion/marks.ts";
import { fitInto, type Shape } from "../conversion/shape.ts";
import { equal } from "../json/equal.ts";
import {
  get,
  hasNoFields,
  isObject,
  type Json,
  type JsonObject,
  objectAt,
  own,
  set,
  textAt,
} from "../json/json.ts";
import { type Answer, type Converted, type Printed, refused } from "./answer.ts";
import { MetadataNames } from "./metadata-names.ts";
import { withNeededZeros } from "./needed-zeros.ts";
import { withForgotten } from "./same-fields.ts";
import type { Session } from "./session.ts";
import type { Asker, Upstream } from "./upstream.ts";
import { says, withoutUnsaidZeros } from "./zeros.ts";

/** What a converter knows of the versions of its kind, by their indexes. */
interface ConvertedVersion {
  readonly apiVersion: string;
  readonly shape: Shape;
}

/** How a converter treats what the upstream does not convert. */
interface ConverterOptions {
  readonly kind: string;
  readonly upstream: Upstream;
  readonly versions: readonly ConvertedVersion[];
  /** The apiVersion that the CRD stores, and those in which objects may be stored from before. */
  readonly storage: string;
  readonly stored: readonly string[];
  /** Annotations in which the upstream is known to carry data. */
  readonly carried: readonly string[];
  /** `schema`: an object that the upstream refuses to show is converted by the schemas; `fail`: its conversion fails. */
  readonly refused: "schema" | "fail";
  /** Whether fields that both versions have are shown although the upstream forgets them. */
  readonly sameFields: boolean;
}

/** An object that is being converted, as far as its questions depend on more than content. */
interface Subject {
  /** Its name, namespace, labels and annotations; not the carriers, which are the engine's. */
  readonly metadata: JsonObject;
  readonly apiVersion: Json | undefined;
  /** What the upstream itself stored in annotations before the object had carriers of ours. */
  readonly carried: JsonObject;
  /** Whether the schemas convert it between all versions. */
  readonly isBySchema: boolean;
  /** The version from and to which they do. */
  readonly apart: string | undefined;
}

/** A conversion of an object, from its own version to another one. */
interface Way {
  /** With its group. */
  readonly to: string;
  /** Directions of which the upstream was asked already. */
  readonly asked: Set<string>;
}

/** What comes of work on an object. */
interface Done<Result> {
  readonly result: Result;
  readonly bad: readonly Bad[];
  /** Whether the upstream converted it. */
  readonly isSound: boolean;
  /** Whether it follows from guesses, of which the upstream must be asked first. */
  readonly isGuess: boolean;
}

/** An object that an upstream did not convert. */
export interface Bad {
  readonly from: string;
  readonly to: string;
  readonly sentence: string;
}

/** Shows images by asking an upstream, as far as the present session has answers. It is used synchronously, within `during`. */
export class UpstreamConverter implements Converter, Asker {
  readonly names: MetadataNames;
  readonly #options: ConverterOptions;
  #session: Session | undefined;
  #subject: Subject = {
    metadata: {},
    apiVersion: undefined,
    carried: {},
    isBySchema: false,
    apart: undefined,
  };
  #way: Way | undefined;
  /** Zeros that said something last, by direction. */
  readonly #usual = new Map<string, ReadonlySet<string>>();
  /** The content of answers with the zeros that say something, for an object with these annotations of the upstream. */
  readonly #withNeeded = new WeakMap<Printed, Pick<Subject, "carried"> & Pick<Converted, "content">>();
  #bad: Bad[] = [];
  #isGuess = false;

  constructor(options: ConverterOptions) {
    this.#options = options;
    this.names = new MetadataNames(options.carried);
  }

  get upstream(): Upstream {
    return this.#options.upstream;
  }

  get mapped(): MappedMetadata {
    return this.names.mapped;
  }

  /**
   * The object without the annotations in which the upstream carries data, and with the mark of what the schemas make of it, if that is
   * given. Where a client's annotations leave no room for the mark it is left out: else no API server could show the object.
   */
  prepared(object: JsonObject, mark: string | undefined): JsonObject {
    const annotations = objectAt(object, "metadata", "annotations");
    const kept = Object.entries(annotations).filter(
      ([name]) => !this.names.carried.has(name) && name !== bySchema,
    );
    const others: JsonObject = Object.fromEntries(kept);
    const left = mark === undefined ? others : withMark(mark, others);
    if (equal(left, annotations)) return object;
    return set(object, "metadata", "annotations", hasNoFields(left) ? undefined : left);
  }

  /**
   * Runs work of which all questions are about one object: with `to`, its conversion to that apiVersion. If the upstream refuses
   * to show what is stored, the schemas convert it both ways, now and when the view comes back: half of each would mix up fields
   * that move: the work gets a mark that says so. What only a client can have written, and the upstream refuses, is refused. Throws what
   * the work throws, Unanswered among others.
   */
  during<Result>(
    session: Session,
    object: JsonObject,
    work: (mark: string | undefined) => Result,
    to?: string,
  ): Done<Result> {
    this.#session = session;
    this.#subject = this.#subjectOf(object, to);
    this.#way = to === undefined ? undefined : { to, asked: new Set() };
    this.#bad = [];
    this.#isGuess = false;
    const isStored = to === this.#options.storage;
    let isMissing = false;
    try {
      const { isBySchema, apart } = this.#subject;
      const mark = isBySchema && !isStored ? viewMark : apart && groupVersionOf(apart).version;
      const result = work(mark);
      const isSound = this.#bad.length === 0 && mark === undefined;
      return { result, bad: this.#bad, isSound, isGuess: this.#isGuess };
    } catch (error) {
      isMissing = error instanceof Unanswered;
      if (this.#isGuess && !isMissing) throw new Unanswered("it follows from a guess", { cause: error });
      if (!(error instanceof NotShown)) throw error;
      this.#subject = { ...this.#subject, isBySchema: true };
      const mark = isStored ? groupVersionOf(textAt(object, "apiVersion")).version : viewMark;
      return { result: work(mark), bad: this.#bad, isSound: false, isGuess: false };
    } finally {
      session.end(this.#isGuess && !isMissing);
      this.#session = undefined;
    }
  }

  /** Reads what came back for a question: what is said in it, or why it cannot be used. */
  read(object: JsonObject, desired: string, answer: Answer): Answer {
    const target = this.#options.versions.find(({ apiVersion }) => apiVersion === desired);
    if (answer.state === "refused" || target === undefined) return answer;
    this.names.learn(object, answer);
    const { apiVersion: _, kind: __, metadata: ___, ...source } = object;
    const { content, zeros } = withoutUnsaidZeros(answer.content, source, target.shape);
    // Some webhooks only log that they could not read an object, and answer with an empty one.
    const asked = this.#options.versions.find(({ apiVersion }) => apiVersion === object.apiVersion);
    const isEmptied = !says(content) && says(fitInto(declared(source, asked?.shape), target.shape));
    if (isEmptied) return refused("the answer is Success, with an emptied object");
    const printed = zeros.length === 0 ? {} : { printed: { content: answer.content, zeros } };
    return { ...answer, content, ...printed };
  }

  readonly image = (content: JsonObject, from: number, to: number): JsonObject => {
    const [source, target] = [this.#options.versions[from], this.#options.versions[to]];
    if (this.#session === undefined || source === undefined || target === undefined)
      throw new Error("the upstream of a guarded kind can be asked only while a review is answered");
    const { isBySchema, apart } = this.#subject;
    if (isBySchema || source.apiVersion === apart || target.apiVersion === apart) return content;
    const isFirst = this.#isFirst(directionOf(source, target));
    // The others are about what could come back of it.
    const isOfObject =
      isFirst && (source.apiVersion === this.#subject.apiVersion || target.apiVersion === this.#way?.to);
    const question = this.#questionOf(content, source.apiVersion);
    const answer = this.#session.find(question, target.apiVersion, this);
    if (answer.state === "converted") {
      const shown = this.#shown(this.#withZeros(answer, content, source, target, isFirst), content);
      return this.#options.sameFields ? this.#withForgotten(content, shown, source, target) : shown;
    }
    const { sentence } = answer;
    const { storage, stored } = this.#options;
    // What is on its way to etcd, and cannot have come from there.
    const isWrite = this.#way?.to === storage && !stored.includes(source.apiVersion);
    if (this.#options.refused === "fail" || (isOfObject && isWrite))
      throw new Error(`the upstream does not convert it: ${sentence}`);
    this.#bad.push({ from: source.apiVersion, to: target.apiVersion, sentence });
    if (isOfObject) throw new NotShown();
    // What both versions have in the same place with the same type; the engine leaves out the rest, and carries it.
    return content;
  };

  /** Whether a question is the first in its direction. */
  #isFirst(direction: string): boolean {
    if (this.#way === undefined || this.#way.asked.has(direction)) return false;
    this.#way.asked.add(direction);
    return true;
  }

  /** The answer with the zero values that say something. They are found once, and kept as long as the answer. */
  #withZeros(
    answer: Converted,
    content: JsonObject,
    source: ConvertedVersion,
    target: ConvertedVersion,
    isEager: boolean,
  ): Converted {
    const { printed } = answer;
    if (printed === undefined) return answer;
    // Data of the upstream's own may come back with one object, and not with another one of the same content.
    const { carried } = this.#subject;
    const known = this.#withNeeded.get(printed);
    if (known !== undefined && equal(known.carried, carried)) return { ...answer, content: known.content };
    const { metadata: _, ...asked } = content;
    const direction = directionOf(source, target);
    let isLasting = true;
    const backOf = (each: JsonObject) => {
      const back = this.#backOf(this.#shown({ ...answer, content: each }, content), source, target);
      // What it refuses it may convert soon.
      if (back?.state === "refused") isLasting = false;
      return back?.state === "refused" ? {} : (back?.printed?.content ?? back?.content);
    };
    const usual = this.#usual.get(direction);
    const search = { asked, content: answer.content, printed, shape: target.shape, usual, isEager, backOf };
    const { needed, isGuess, ...found } = withNeededZeros(search);
    if (isGuess) this.#isGuess = true;
    else if (needed.size > 0) this.#usual.set(direction, needed);
    if (!isGuess && isLasting) this.#withNeeded.set(printed, { ...found, carried });
    return { ...answer, ...found };
  }

  /** What the upstream itself makes of content on the way back; undefined if it must be asked. */
  #backOf(content: JsonObject, source: ConvertedVersion, target: ConvertedVersion): Answer | undefined {
    const question = this.#questionOf(fitInto(content, target.shape), target.apiVersion);
    return this.#session?.peek(question, source.apiVersion, this);
  }

  #withForgotten(
    asked: JsonObject,
    shown: JsonObject,
    source: ConvertedVersion,
    target: ConvertedVersion,
  ): JsonObject {
    const back = this.#session?.find(this.#questionOf(shown, target.apiVersion), source.apiVersion, this);
    if (back?.state !== "converted") return shown;
    return withForgotten({ asked, shown, back: back.content }, source.shape, target.shape);
  }

  #subjectOf(object: JsonObject, to: string | undefined): Subject {
    const annotations = objectAt(object, "metadata", "annotations");
    const carried = Object.entries(annotations).filter(([name]) => this.names.carried.has(name));
    const mark = own(annotations, bySchema);
    const marked = this.#options.versions.find(
      ({ apiVersion }) => groupVersionOf(apiVersion).version === mark,
    );
    return {
      metadata: metadataOf(object),
      apiVersion: object.apiVersion,
      // The conversion itself reads the carriers: here they are read only where it matters that there are any.
      carried: carried.length === 0 || hasCarriers(object) ? {} : Object.fromEntries(carried),
      isBySchema: mark === viewMark && object.apiVersion !== this.#options.storage,
      // In its own version a client may have mended it.
      apart: to !== undefined && marked?.apiVersion === object.apiVersion ? undefined : marked?.apiVersion,
    };
  }

  #questionOf(content: JsonObject, apiVersion: string): JsonObject {
    const { metadata: marks, ...fields } = content;
    const { metadata, carried } = this.#subject;
    const { labels: _, annotations: __, ...identity } = metadata;
    const labels = this.#marks("labels", marks);
    const annotations = {
      ...this.#marks("annotations", marks),
      ...(apiVersion === this.#subject.apiVersion ? carried : {}),
    };
    return {
      apiVersion,
      kind: this.#options.kind,
      metadata: {
        ...identity,
        ...(hasNoFields(labels) ? {} : { labels }),
        ...(hasNoFields(annotations) ? {} : { annotations }),
      },
      ...fields,
    };
  }

  /** The labels or annotations of the object, and of the content those that are content. */
  #marks(sort: keyof MappedMetadata, marks: Json | undefined): JsonObject {
    const all = own(this.#subject.metadata, sort);
    const isOther = ([name]: readonly [string, Json]) =>
      !this.mapped[sort].includes(name) && !(sort === "annotations" && this.names.carried.has(name));
    const mapped = own(marks, sort);
    return {
      ...Object.fromEntries(Object.entries(isObject(all) ? all : {}).filter(isOther)),
      ...(isObject(mapped) ? mapped : {}),
    };
  }

  #shown(answer: Converted, asked: JsonObject): JsonObject {
    const marks = (["labels", "annotations"] as const).flatMap((sort) => {
      const found = this.mapped[sort].flatMap((name) => {
        const value = own(answer[sort], name);
        return isMappable(value, sort) ? [[name, value] as const] : [];
      });
      const before = get(asked, "metadata", sort);
      const wasEmpty = before === null || (isObject(before) && hasNoFields(before));
      if (found.length > 0) return [[sort, Object.fromEntries(found)] as const];
      return wasEmpty ? [[sort, before] as const] : [];
    });
    return marks.length === 0 ? answer.content : { ...answer.content, metadata: Object.fromEntries(marks) };
  }
}

/** The upstream refuses to show an object that is stored. */
class NotShown extends Error {}

/**
 * The annotation of what the schemas made: of views `true`; of what is stored the version that they made it of, whose clients must
 * find again what the upstream does not know of.
 */
const bySchema = "antechamber.dev/converted-by-schema";
const viewMark = "true";

function directionOf({ apiVersion: from }: ConvertedVersion, { apiVersion: to }: ConvertedVersion): string {
  return `${from} ${to}`;
}

function withMark(mark: string, annotations: JsonObject): JsonObject {
  const marked = { ...annotations, [bySchema]: mark };
  return sizeOfAnnotations(marked) <= annotationLimit ? marked : annotations;
}

function hasCarriers(object: JsonObject): boolean {
  const { annotations, status } = detach(object);
  return annotations.length > 0 || status !== undefined;
}

/**
 * An object without the fields that its version keeps without declaring them, and without what is in its open objects, such as a
 * template of pods: the upstream need not know them. A spec that is open as a whole is all that there is.
 */
function declared(object: JsonObject, shape: Shape | undefined, isRoot = true): JsonObject {
  const known = Object.entries(object).flatMap(([name, value]): (readonly [string, Json])[] => {
    const field = shape?.properties.get(name);
    if (field === undefined) return [];
    if (!isObject(value)) return [[name, value]];
    if (field.properties.size > 0) return [[name, declared(value, field, false)]];
    return field.preserved && !isRoot ? [] : [[name, value]];
  });
  return Object.fromEntries(known);
}

/** What an upstream gets to see of metadata besides labels and annotations: what stays the same from one write to the next. */
function metadataOf({ metadata }: JsonObject): JsonObject {
  const names = ["name", "generateName", "namespace"].flatMap((name) => {
    const value = own(metadata, name);
    return typeof value === "string" ? [[name, value] as const] : [];
  });
  const marks = (["labels", "annotations"] as const).flatMap((sort) => {
    const all = own(metadata, sort);
    if (!isObject(all)) return [];
    const texts = Object.entries(all).filter(
      ([name, value]) =>
        typeof value === "string" &&
        name !== lastApplied &&
        name !== bySchema &&
        !name.startsWith(carrierPrefix),
    );
    return texts.length === 0 ? [] : [[sort, Object.fromEntries(texts)] as const];
  });
  return Object.fromEntries([...names, ...marks]);
}

/** A copy of the object that kubectl keeps for itself: it would double each question. */
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";
