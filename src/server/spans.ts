import {
  afterBlank,
  closeList,
  closeObject,
  colon,
  comma,
  endOfString,
  endOfValue,
  openList,
  openObject,
  quote,
  type Tally,
} from "./brackets.ts";

/** Where the objects of a ConversionReview stand in its text; from and to as `subarray` takes them. */
export interface Spans {
  /** Of the whole list, its brackets included. */
  readonly from: number;
  readonly to: number;
  readonly objects: readonly (readonly [from: number, to: number])[];
}

/**
 * Finds the objects of a ConversionReview without parsing it; yields after each, since many take long. Undefined where
 * the text is not plainly one: no `request.objects` or two of them, an item that is no object, anything but a comma
 * between two items, a key with an escape in the review or its request. Where the text around the list is JSON, and
 * each item is, the whole is JSON too, and this is its list. How many brackets there may be is counted of each item:
 * together they may be more than a review may have that is taken as a whole.
 */
export function* spansOf(bytes: Buffer): Generator<undefined, Spans | undefined> {
  // The review, its request and the list.
  const tally: Tally = { count: 3 };
  const lists: Spans[] = [];
  let requests = 0;
  const end = yield* endOfMembers(bytes, afterBlank(bytes, 0), function* (name, at) {
    if (name !== "request") return endOfValue(bytes, at, tally);
    requests++;
    return yield* endOfMembers(bytes, at, function* (inner, start) {
      if (inner !== "objects") return endOfValue(bytes, start, tally);
      const list = yield* itemsOf(bytes, start);
      if (list !== undefined) lists.push(list);
      return list?.to;
    });
  });
  const isWhole = end !== undefined && afterBlank(bytes, end) === bytes.length;
  return isWhole && requests === 1 && lists.length === 1 ? lists[0] : undefined;
}

/** Finds the end of the value of a member that begins at an index. */
type Member = (name: string, start: number) => Generator<undefined, number | undefined>;

/** Where the object that begins at an index ends, each of its members walked by `member`. */
function* endOfMembers(
  bytes: Buffer,
  start: number,
  member: Member,
): Generator<undefined, number | undefined> {
  if (bytes[start] !== openObject) return undefined;
  for (let at = start; bytes[at] !== closeObject; ) {
    if (at !== start && bytes[at] !== comma) return undefined;
    const key = afterBlank(bytes, at + 1);
    if (bytes[key] !== quote) return undefined;
    const keyEnd = endOfString(bytes, key);
    const name = nameOf(bytes, key + 1, keyEnd);
    const after = afterBlank(bytes, keyEnd + 1);
    if (name === undefined || bytes[after] !== colon) return undefined;
    const end = yield* member(name, afterBlank(bytes, after + 1));
    if (end === undefined) return undefined;
    at = afterBlank(bytes, end);
    if (bytes[at] === closeObject) return at + 1;
  }
  return undefined;
}

/** A key as it is written; empty for one too long to be one that is looked for, undefined for one with an escape. */
function nameOf(bytes: Buffer, from: number, to: number): string | undefined {
  // Seven characters, each as an escape of six.
  if (to - from > 42) return "";
  const name = bytes.toString("latin1", from, to);
  return name.includes("\\") ? undefined : name;
}

function* itemsOf(bytes: Buffer, start: number): Generator<undefined, Spans | undefined> {
  if (bytes[start] !== openList) return undefined;
  const objects: (readonly [number, number])[] = [];
  let at = afterBlank(bytes, start + 1);
  if (bytes[at] === closeList) return { from: start, to: at + 1, objects };
  for (;;) {
    const end = bytes[at] === openObject ? endOfValue(bytes, at, { count: 0 }) : undefined;
    if (end === undefined) return undefined;
    objects.push([at, end]);
    at = afterBlank(bytes, end);
    if (bytes[at] === closeList) return { from: start, to: at + 1, objects };
    if (bytes[at] !== comma) return undefined;
    at = afterBlank(bytes, at + 1);
    yield undefined;
  }
}
