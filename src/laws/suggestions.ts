import { fieldsOfRow } from "../conversion/row-fields.ts";
import { isArray, type Json, type JsonObject } from "../json/json.ts";
import type { Kind } from "../kind/kind.ts";
import { contentSchemaOf } from "./content-schema.ts";
import { servingEngine } from "./engine.ts";
import { type Harvest, harvestsOf } from "./harvest.ts";
import { allOf, placesBelow, type SchemaPlace } from "./places.ts";

/**
 * The values in a kind's examples at a version, and those that its fields suggest by their name, format, default and
 * example, and by the words of the field that a row maps them to: so that codecs meet values that they convert.
 */
export function suggestionsOf(kind: Kind, version: number): Harvest {
  const known = suggestions.get(kind) ?? new Map<number, Harvest>();
  suggestions.set(kind, known);
  const made = known.get(version) ?? suggestionsMade(kind, version);
  known.set(version, made);
  return made;
}

const suggestions = new WeakMap<Kind, Map<number, Harvest>>();

function suggestionsMade(kind: Kind, version: number): Harvest {
  const found = harvestsOf(kind, servingEngine)[version] ?? new Map<string, readonly Json[]>();
  const partners = partnersOf(kind, version);
  const more = allOf(placesAt(kind, version)).flatMap((place) => {
    const values = suggested(place, partners.get(place.text) ?? []);
    return values.length === 0 ? [] : [[place.text, [...(found.get(place.text) ?? []), ...values]] as const];
  });
  return new Map([...found, ...more]);
}

function placesAt({ versions, hub }: Kind, version: number): readonly SchemaPlace[] {
  return placesBelow(contentSchemaOf((versions[version] ?? hub).entry));
}

/** The fields of the neighbouring versions that rows map to the fields of a version, by their places. */
function partnersOf(kind: Kind, version: number): ReadonlyMap<string, readonly JsonObject[]> {
  const partners = new Map<string, JsonObject[]>();
  const add = (own: readonly string[][], others: readonly string[][], neighbour: number) => {
    const schemas = new Map(allOf(placesAt(kind, neighbour)).map(({ text, schema }) => [text, schema]));
    const found = others.flatMap((steps) => {
      const schema = schemas.get(textOf(steps));
      return schema === undefined ? [] : [schema];
    });
    for (const steps of own) partners.set(textOf(steps), [...(partners.get(textOf(steps)) ?? []), ...found]);
  };
  const rowsOf = (older: number) => kind.chain.versions[older]?.lens?.rows ?? [];
  for (const { older, newer } of rowsOf(version).map(fieldsOfRow))
    add(older.map(mutable), newer.map(mutable), version + 1);
  for (const { older, newer } of rowsOf(version - 1).map(fieldsOfRow))
    add(newer.map(mutable), older.map(mutable), version - 1);
  return partners;
}

const mutable = (steps: readonly string[]): string[] => [...steps];

/** The text of a place from the steps of a row's field: `spec.lights[].color`. */
export function textOf(steps: readonly string[]): string {
  return steps.join(".").replaceAll(".[]", "[]");
}

function suggested({ text, schema }: SchemaPlace, partners: readonly JsonObject[]): readonly Json[] {
  if (isArray(schema.enum)) return [];
  const isText = schema.type === "string" || schema["x-kubernetes-int-or-string"] === true;
  const given = [schema.default, schema.example].filter((value) => value !== undefined);
  if (!isText) return given;
  const choices = partners.flatMap((each) => (isArray(each.enum) ? each.enum : []));
  const words = choices.filter((each) => typeof each === "string");
  const texts = [...words, ...words.map((word) => word.toLowerCase()), ...textsFor(text, schema)];
  return [...given, ...texts.filter((each) => isAllowed(each, schema))];
}

/** Texts that a field of such a name or format usually holds; of each sort some if the name says nothing. */
function textsFor(place: string, { format, description }: JsonObject): readonly string[] {
  const name = `${place.slice(place.lastIndexOf(".") + 1)} ${typeof format === "string" ? format : ""}`;
  const byName = sorts.filter(({ named }) => named.test(name));
  const described =
    typeof description === "string" ? sorts.filter(({ named }) => named.test(description)) : [];
  const fitting = byName.length > 0 ? byName : described;
  return (fitting.length > 0 ? fitting : sorts.map(({ texts }) => ({ texts: texts.slice(0, 1) }))).flatMap(
    ({ texts }) => texts,
  );
}

const sorts: readonly { readonly named: RegExp; readonly texts: readonly string[] }[] = [
  {
    named: /duration|timeout|interval|period|delay|after|every|ttl|seconds|rest\b|openFor|renew/i,
    texts: ["90s", "5m0s", "1h30m0s", "0s"],
  },
  {
    named: /cpu|memory|storage|quantity|bytes|capacity|resource|size/i,
    texts: ["512Mi", "2Gi", "500m", "3"],
  },
  { named: /percent|level|surge|unavailable|unhealthy|humidity|shade/i, texts: ["25%", "100%", "0%"] },
  { named: /url|uri|endpoint|link/i, texts: ["https://a.example.org:8443/b?c=d", "http://b.example.org"] },
  { named: /address|host|server/i, texts: ["a.example.org:443", "10.0.0.1", "a.example.org"] },
  { named: /apiVersion|group|gvk/i, texts: ["apps.example.org/v1beta1", "apps.example.org/v1"] },
  { named: /time|date|until|since|expir/i, texts: ["2026-03-01T06:45:00Z", "2024-02-29T23:59:59Z"] },
  { named: /port|count|number|replicas|partition|max|min/i, texts: ["8080", "1", "30"] },
  { named: /enabled|flag|boolean/i, texts: ["true", "false"] },
  { named: /name|street|city/i, texts: ["Ida May", "a-b"] },
];

function isAllowed(text: string, { pattern, minLength, maxLength }: JsonObject): boolean {
  if (typeof minLength === "number" && text.length < minLength) return false;
  if (typeof maxLength === "number" && text.length > maxLength) return false;
  if (typeof pattern !== "string") return true;
  try {
    return new RegExp(pattern).test(text);
  } catch {
    // A pattern in Go's syntax that JavaScript does not know: the schema judges the text.
    return true;
  }
}
