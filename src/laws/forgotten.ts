import { fieldsOfRow } from "../conversion/row-fields.ts";
import { image } from "../conversion/version-chain.ts";
import type { JsonObject } from "../json/json.ts";
import { wordsOfName } from "../values/words.ts";
import { derivedPlaces } from "./derived.ts";
import { likeness } from "./likeness.ts";
import { allOf, type SchemaPlace, topmost } from "./places.ts";
import { type Fault, placesOf, type Samples } from "./row-faults.ts";
import type { Setting } from "./setting.ts";
import { isNamed, isWithoutEffect } from "./unread.ts";

/** Fields of one version that no row reads, each with the fields of the other that are named alike and that none writes. */
export function forgotten(setting: Setting, older: number, samples: Samples): readonly Fault[] {
  const rows = (setting.kind.chain.versions[older]?.lens?.rows ?? []).map(fieldsOfRow);
  // A row of which no drawn value is one that its codec takes is not forgotten, nor one whose value is always the same.
  const isInRow = (place: SchemaPlace, side: "older" | "newer") =>
    rows.some((row) => isNamed(place.text, row[side]));
  const from = unreadAt(setting, samples.older, older, older + 1).filter((each) => !isInRow(each, "older"));
  if (from.length === 0) return [];
  const to = unreadAt(setting, samples.newer, older + 1, older).filter((each) => !isInRow(each, "newer"));
  const [mine, theirs] = [older, older + 1].map(
    (version) => new Set(allOf(placesOf(setting, version)).map(({ text }) => text)),
  );
  const isInBoth = (place: string) => (mine?.has(place) && theirs?.has(place)) ?? false;
  return from.flatMap((one): readonly Fault[] => {
    const found = to.filter((other) => mayBeSame(one, other) && !areApart(one.text, other.text, isInBoth));
    if (found.length === 0) return [];
    const others = found.map(({ text }) => text).join(" or ");
    return [
      {
        field: one.text,
        expected: `a row that maps it to ${others}`,
        actual: "no row reads it, nor writes the other",
        hint: `add a row, or name ${one.text} in retired if ${others} is something else`,
      },
    ];
  });
}

/** Whether two fields are known to be different ones by where they stand. */
function areApart(one: string, other: string, isInBoth: (place: string) => boolean): boolean {
  if (one === other) return false;
  // A write of status never changes spec, nor the other way round.
  if (rootOf(one) !== rootOf(other)) return true;
  // What the other version has too, at the same place, is not another field of it.
  if (isInBoth(one) || isInBoth(other)) return true;
  const [around, there] = [parentOf(one), parentOf(other)];
  if (isWithin(one, there) || isWithin(other, around)) return false;
  // Nor is a field of an object that both versions have one of an object beside it.
  return isInBoth(around) || isInBoth(there);
}

function rootOf(place: string): string {
  return place.split(".")[0] ?? "";
}

function parentOf(place: string): string {
  return place.slice(0, Math.max(0, place.lastIndexOf(".")));
}

function isWithin(place: string, parent: string): boolean {
  return place.startsWith(`${parent}.`) || place.startsWith(`${parent}[`);
}

function mayBeSame(one: SchemaPlace, other: SchemaPlace): boolean {
  // An object that both versions have is copied as far as its fields are.
  if (one.text === other.text && one.schema.type === "object") return false;
  if (isChoice(one) ? isNumeric(other) : isNumeric(one) && isChoice(other)) return false;
  const isListed = [one, other].map(({ schema }) => schema.type === "array");
  const isMap = [one, other].some(({ schema }) => schema.type === "object");
  // A map and the list that it became are the same parent.
  const [name = "", otherName = ""] = [one, other].map(({ text }) => text.replaceAll(/\[\]|\.\*/g, ""));
  const share = likeness(name, otherName);
  if (share === 1) return true;
  if (share < 0.5 || !(isMap || isListed[0] === isListed[1])) return false;
  return parentOf(name) === parentOf(otherName) || saysAll(name, otherName) || saysAll(otherName, name);
}

/** Whether a path has all words of another one: below another parent, half of them say too little. */
function saysAll(name: string, other: string): boolean {
  const words = new Set(name.split(".").flatMap(wordsOfName));
  return other
    .split(".")
    .flatMap(wordsOfName)
    .every((word) => words.has(word));
}

function isChoice({ schema }: SchemaPlace): boolean {
  return schema.type === "string" && schema.enum !== undefined;
}

function isNumeric({ schema }: SchemaPlace): boolean {
  return schema.type === "integer" || schema.type === "number";
}

/** The topmost fields that have no effect in another version, without those that are retired or repeat a key. */
export function unreadAt(
  setting: Setting,
  contents: readonly JsonObject[],
  from: number,
  to: number,
): readonly SchemaPlace[] {
  const { kind } = setting;
  const isUnread = isWithoutEffect(contents, (content) => image(content, kind.chain, from, to));
  const retired = new Set(Object.keys(kind.definition.versions[from]?.retired ?? {}));
  const derived = new Set(derivedPlaces(setting, from, to).map(({ text }) => text));
  return topmost(
    placesOf(setting, from),
    (place) => !retired.has(place.text) && !derived.has(place.text) && isUnread(place),
  );
}
