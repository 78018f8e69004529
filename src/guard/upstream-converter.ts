import { groupVersionOf } from "../apimachinery/resource.ts";
import { carrierPrefix, detach } from "../conversion/carriers.ts";
import { type Converter, Unanswered } from "../conversion/lens.ts";
import { isMappable, type MappedMetadata } from "../conversion/marks.ts";
import { fitInto, type Shape } from "../conversion/shape.ts";
import { get, hasNoFields, isObject, type Json, type JsonObject, own, set, textAt } from "../json/json.ts";
import { type Answer, type Converted, refused } from "./answer.ts";
import { MetadataNames } from "./metadata-names.ts";
import { withForgotten } from "./same-fields.ts";
import type { Session } from "./session.ts";
import type { Asker, Upstream } from "./upstream.ts";
import { bringsMore, says, withoutUnsaidZeros } from "./zeros.ts";

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
  /** Directions of which the upstream was asked already: the first question of each is about the object itself. */
  readonly asked: Set<string>;
}

/** What comes of work on an object. */
interface Done<Result> {
  readonly result: Result;
  readonly bad: readonly Bad[];
  /** Whether the upstream converted it. */
  readonly isSound: boolean;
  /** The value of the annotation that says what the schemas made of it. */
  readonly mark: string | undefined;
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
  #bad: Bad[] = [];

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

  /** The object without the annotations in which the upstream carries data, and without the mark of a view by the schemas. */
  withoutCarried(object: JsonObject): JsonObject {
    const annotations = get(object, "metadata", "annotations");
    if (!isObject(annotations)) return object;
    const kept = Object.entries(annotations).filter(
      ([name]) => !this.names.carried.has(name) && name !== bySchema,
    );
    if (kept.length === Object.keys(annotations).length) return object;
    const left = kept.length === 0 ? undefined : Object.fromEntries(kept);
    return set(object, "metadata", "annotations", left);
  }

  /**
   * Runs work of which all questions are about one object: with `to`, its conversion to that apiVersion. If the upstream refuses
   * to show what is stored, the schemas convert it both ways, now and when the view comes back: half of each would mix up fields
   * that move. What only a client can have written, and the upstream refuses, is refused. Throws what the work throws, Unanswered among others.
   */
  during<Result>(session: Session, object: JsonObject, work: () => Result, to?: string): Done<Result> {
    this.#session = session;
    this.#subject = this.#subjectOf(object, to);
    this.#way = to === undefined ? undefined : { to, asked: new Set() };
    this.#bad = [];
    const isStored = to === this.#options.storage;
    try {
      const result = work();
      const { isBySchema, apart } = this.#subject;
      const mark = isBySchema && !isStored ? viewMark : apart && groupVersionOf(apart).version;
      return { result, bad: this.#bad, isSound: this.#bad.length === 0 && mark === undefined, mark };
    } catch (error) {
      if (!(error instanceof NotShown)) throw error;
      this.#subject = { ...this.#subject, isBySchema: true };
      const mark = isStored ? groupVersionOf(textAt(object, "apiVersion")).version : viewMark;
      return { result: work(), bad: this.#bad, isSound: false, mark };
    } finally {
      this.#session = undefined;
    }
  }

  /** An object with a mark by which the schemas make of it what they made it of, or without one. */
  marked(object: JsonObject, mark: string | undefined): JsonObject {
    return mark === undefined ? object : set(object, "metadata", "annotations", bySchema, mark);
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
    const isFirst = this.#isOfObject(source.apiVersion, target.apiVersion);
    const question = this.#questionOf(content, source.apiVersion);
    const answer = this.#session.find(question, target.apiVersion, this);
    if (answer.state === "converted") {
      const shown = this.#shown(this.#withZeros(answer, content, source, target), content);
      return this.#options.sameFields ? this.#withForgotten(content, shown, source, target) : shown;
    }
    const { sentence } = answer;
    const { storage, stored } = this.#options;
    // What is on its way to etcd, and cannot have come from there.
    const isWrite = this.#way?.to === storage && !stored.includes(source.apiVersion);
    if (this.#options.refused === "fail" || (isFirst && isWrite))
      throw new Error(`the upstream does not convert it: ${sentence}`);
    this.#bad.push({ from: source.apiVersion, to: target.apiVersion, sentence });
    if (isFirst) throw new NotShown();
    // What both versions have in the same place with the same type; the engine leaves out the rest, and carries it.
    return content;
  };

  /** Whether a question is about the object itself, and not about what could come back of it. */
  #isOfObject(from: string, to: string): boolean {
    const { apiVersion } = this.#subject;
    if (this.#way === undefined || (from !== apiVersion && to !== this.#way.to)) return false;
    const direction = `${from} ${to}`;
    const isFirst = !this.#way.asked.has(direction);
    this.#way.asked.add(direction);
    return isFirst;
  }

  /** The answer with the zero values that bring more of what was asked back: each without which less of it would come back. */
  #withZeros(
    answer: Converted,
    { metadata: _, ...asked }: JsonObject,
    source: ConvertedVersion,
    target: ConvertedVersion,
  ): Converted {
    const { content, printed } = answer;
    if (printed === undefined) return answer;
    const { zeros } = printed;
    const [without] = this.#backs([content], source, target);
    // Mostly all comes back, and there is nothing more to ask.
    if (!bringsMore(asked, without, asked)) return answer;
    const made = (kept: readonly string[]) =>
      withoutUnsaidZeros(printed.content, asked, target.shape, new Set(kept)).content;
    const [withAll] = this.#backs([made(zeros)], source, target);
    if (!bringsMore(asked, without, withAll)) return answer;
    const others =
      zeros.length > mostZeros ? [] : zeros.map((zero) => made(zeros.filter((each) => each !== zero)));
    const backs = this.#backs(others, source, target);
    const needed = zeros.filter((_, at) => at >= backs.length || bringsMore(asked, backs[at], withAll));
    return { ...answer, content: made(needed.length === 0 ? zeros : needed) };
  }

  /** What the upstream itself makes of contents of a version on the way back; nothing of those that it refuses. */
  #backs(
    contents: readonly JsonObject[],
    source: ConvertedVersion,
    target: ConvertedVersion,
  ): readonly (JsonObject | undefined)[] {
    let missing: unknown;
    const found = contents.map((content) => {
      try {
        const question = this.#questionOf(content, target.apiVersion);
        return this.#session?.find(question, source.apiVersion, this);
      } catch (error) {
        if (!(error instanceof Unanswered)) throw error;
        missing = error;
        return undefined;
      }
    });
    // All are asked for at once.
    if (missing !== undefined) throw missing;
    return found.map((each) =>
      each?.state === "converted" ? (each.printed?.content ?? each.content) : undefined,
    );
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
    const { object: bare, annotations, status } = detach(object);
    const all = get(bare, "metadata", "annotations");
    const entries = Object.entries(isObject(all) ? all : {});
    const isCarried = ([name]: readonly [string, Json]) => this.names.carried.has(name);
    const isOurs = annotations.length > 0 || status !== undefined;
    const mark = get(object, "metadata", "annotations", bySchema);
    const marked = this.#options.versions.find(
      ({ apiVersion }) => groupVersionOf(apiVersion).version === mark,
    );
    return {
      metadata: metadataOf(bare),
      apiVersion: object.apiVersion,
      carried: isOurs ? {} : Object.fromEntries(entries.filter(isCarried)),
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

/** Zero values of one answer that are tried one by one; more of them are shown together. */
const mostZeros = 32;

/** An object without the fields that its version keeps without declaring them: the upstream need not know them. */
function declared(object: JsonObject, shape: Shape | undefined): JsonObject {
  const known = Object.entries(object).flatMap(([name, value]) => {
    const field = shape?.properties.get(name);
    return field === undefined
      ? []
      : [[name, isObject(value) && field.properties.size > 0 ? declared(value, field) : value]];
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
