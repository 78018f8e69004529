import type { InvalidImage } from "../../laws/invalid-images.ts";
import { counted } from "../../words.ts";

/** The most fields of one sort of fault that have a line of their own. */
const mostOfOneSort = 3;

/** The most fields that are named of the others. */
const mostNamed = 4;

/**
 * What a version forbids after conversion, as rows of a list: by the sort of fault, first those that ordinary objects have, last what
 * needs an empty text, an equal item or the like. Of many fields with one sort of fault a few are shown, and the others named.
 */
export function forbiddenRows(
  invalid: readonly InvalidImage[],
  shown: (image: InvalidImage) => string,
): readonly (readonly [field: string, words: string])[] {
  const bySort = [...Map.groupBy(invalid.toSorted(byField), (each) => `${rankOf(each)} ${sortOf(each)}`)];
  return bySort
    .toSorted(([a], [b]) => compare(a, b))
    .flatMap(([, images]) => {
      const isFew = images.length <= mostOfOneSort + 1;
      const [alone, others] = isFew
        ? [images, []]
        : [images.slice(0, mostOfOneSort), images.slice(mostOfOneSort)];
      return [
        ...alone.map((each) => [each.field, shown(each)] as const),
        ...(others.length === 0
          ? []
          : [[`and ${counted(others.length, "more field")}`, rest(others)] as const]),
      ];
    });
}

function rest(images: readonly InvalidImage[]): string {
  const named = images.slice(0, mostNamed).map(({ field }) => field);
  const more = images.length - named.length;
  const sort = images[0] === undefined ? "" : sortOf(images[0]);
  return `${sort}: ${named.join(", ")}${more === 0 ? "" : `, … (${more} more; -o json has all)`}`;
}

/** What is wrong, without the field and its value. */
function sortOf({ field, message }: InvalidImage): string {
  const [, reason = message] = /^Invalid value: .*?: (.*)$/s.exec(message) ?? [];
  if (reason !== message) return reason.replace(`${field} in body `, "");
  return message.split(": ", 1)[0] ?? message;
}

/** How rare objects with such a fault are, from their usual causes: a schema's rule, or a text that somebody left empty. */
function rankOf({ message }: InvalidImage): number {
  const isRare = /^(Invalid|Unsupported) value: ""|^Duplicate value|should have at least 1 /.test(message);
  if (isRare) return 5;
  const order = [
    /^Required value/,
    /^Invalid value: (?!.* in body )/s,
    /^Too (many|long)/,
    /^Unsupported value/,
  ];
  const rank = order.findIndex((each) => each.test(message));
  return rank < 0 ? order.length : rank;
}

function byField(a: InvalidImage, b: InvalidImage): number {
  return compare(a.field, b.field) || compare(a.message, b.message);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
