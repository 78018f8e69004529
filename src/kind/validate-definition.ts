import { isDNS1123Label, isDNS1123Subdomain } from "../apimachinery/names.ts";
import { type Lens, lensIn } from "../conversion/lens.ts";
import { didYouMean } from "../json/alike.ts";
import { isObject } from "../json/json.ts";
import type { KindDefinition, VersionDefinition } from "./kind.ts";
import type { NativeDefinition } from "./native.ts";

/** What is wrong with a definition, and how to find it in the source: the property that sets it, or a text that it writes. */
export interface DefinitionFault {
  readonly sentence: string;
  readonly property?: string;
  readonly literal?: string;
}

/**
 * The faults of a definition alone, before any file is read, and whether its versions can be read nevertheless. It comes from
 * a user's module, so any type is possible.
 */
export function validateDefinition(definition: KindDefinition): {
  readonly faults: readonly DefinitionFault[];
  readonly isReadable: boolean;
} {
  const { group, versions, hubRules } = definition;
  const other = otherThanKind(definition);
  if (other !== undefined) return { faults: [{ sentence: other }], isReadable: false };
  const faults = [
    ...(typeof group === "string" && isDNS1123Subdomain(group) && group.includes(".")
      ? []
      : [at("group", `group ${shown(group)} a domain name like home.antechamber.dev`)]),
    ...faultsOfNames(definition),
    ...(["categories", "shortNames"] as const).flatMap((name) => faultsOfTexts(name, definition[name])),
    ...(["default", "validate"] as const).flatMap((name) => faultsOfFunction(name, definition[name], false)),
    ...(definition.approval === undefined || typeof definition.approval === "string"
      ? []
      : [at("approval", `approval ${show(definition.approval)} is not text; write the URL of the approval`)]),
    ...(hubRules === undefined || ["deny", "warn"].includes(hubRules)
      ? []
      : [at("hubRules", `hubRules ${show(hubRules)} is neither deny nor warn`)]),
    ...unknownProperties(definition, known, "a kind"),
    ...faultsOfNeeds(definition.needs),
    ...faultsOfGates(definition.gates),
  ];
  const ofVersions =
    Array.isArray(versions) && versions.length > 0 ? faultsOfVersions(versions) : [noVersions];
  const hasNames = Array.isArray(versions) && versions.every((each) => typeof each?.name === "string");
  const isReadable = hasNames && new Set(versions.map(({ name }) => name)).size === versions.length;
  const isNamed = [group, definition.kind, definition.plural].every((name) => typeof name === "string");
  return {
    faults: [...faults, ...ofVersions],
    isReadable: isReadable && isNamed && faultsOfMaps(versions).length === 0,
  };
}

/** What a default export is instead of a definition, if it has nothing of one. */
function otherThanKind(definition: object): string | undefined {
  if (["group", "kind", "plural", "versions"].some((key) => Object.hasOwn(definition, key))) return undefined;
  const what = "up" in definition ? "a lens" : "name" in definition ? "a version" : undefined;
  if (what === undefined) return undefined;
  return `the default export is ${what}, not a kind; write export default defineKind({ … })`;
}

const noVersions: DefinitionFault = {
  property: "versions",
  sentence: 'versions is not a list of versions, oldest first; write versions: [version("v1")]',
};

/** The faults of the definition of a native kind. */
export function validateNativeDefinition(definition: NativeDefinition): readonly DefinitionFault[] {
  const { group, version, operations, listKeys = {} } = definition;
  const allowed = ["CREATE", "UPDATE"];
  return [
    ...(typeof group === "string" && (group === "" || isDNS1123Subdomain(group))
      ? []
      : [at("group", `group ${show(group)} is neither empty, for the core group, nor a domain name`)]),
    ...(typeof version === "string" && isDNS1123Label(version)
      ? []
      : [at("version", `version ${show(version)} is not a name like v1`)]),
    ...faultsOfNames(definition),
    ...(Array.isArray(operations) &&
    operations.length > 0 &&
    operations.every((each) => allowed.includes(each))
      ? []
      : [at("operations", "operations is not a list of CREATE and UPDATE")]),
    ...Object.entries(listKeys)
      .filter(([, keys]) => !isListOfTexts(keys))
      .map(([field]) => ({ literal: field, sentence: `listKeys.${field} is not a list of fields` })),
    ...faultsOfFunction("prepare", definition.prepare, false),
    ...faultsOfFunction("mutate", definition.mutate, true),
    ...unknownProperties(definition, knownOfNatives, "a native kind"),
    ...faultsOfNeeds(definition.needs),
    ...faultsOfGates(definition.gates),
  ];
}

function at(property: string, sentence: string): DefinitionFault {
  return { property, sentence };
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function faultsOfTexts(name: string, found: unknown): readonly DefinitionFault[] {
  return found === undefined || isListOfTexts(found) ? [] : [at(name, `${name} is not a list of names`)];
}

function faultsOfNames({
  kind,
  plural,
  scope,
}: KindDefinition | NativeDefinition): readonly DefinitionFault[] {
  return [
    ...(typeof kind === "string" && /^[A-Z][A-Za-z0-9]{0,62}$/.test(kind)
      ? []
      : [at("kind", `kind ${shown(kind)} a name like Room`)]),
    ...(typeof plural === "string" && isDNS1123Label(plural)
      ? []
      : [at("plural", `plural ${shown(plural)} a name like rooms`)]),
    ...(scope === "Namespaced" || scope === "Cluster"
      ? []
      : [at("scope", `scope ${show(scope)} is neither Namespaced nor Cluster`)]),
  ];
}

function faultsOfFunction(name: string, found: unknown, isRequired: boolean): readonly DefinitionFault[] {
  if (found === undefined && !isRequired) return [];
  if (typeof found !== "function") return [at(name, `${name} is not a function`)];
  return found.constructor.name === "AsyncFunction"
    ? [at(name, `${name} is async; a review waits for nothing: ask for a lister by needs`)]
    : [];
}

function unknownProperties(
  value: object,
  properties: ReadonlySet<string>,
  what: string,
): readonly DefinitionFault[] {
  return Object.keys(value)
    .filter((key) => !properties.has(key))
    .map((key) => {
      const alike = didYouMean(key, properties) || `; ${what} has ${[...properties].join(", ")}`;
      return at(key, `unknown property ${JSON.stringify(key)}${alike}`);
    });
}

function faultsOfNeeds(needs: KindDefinition["needs"] = {}): readonly DefinitionFault[] {
  return Object.entries(needs)
    .filter(([, need]) => typeof need?.group !== "string" || typeof need.kind !== "string")
    .map(([name]) => at(name, `needs.${name} is not a lister; write lister("group", "Kind")`));
}

function faultsOfGates(gates: KindDefinition["gates"] = {}): readonly DefinitionFault[] {
  if (!isObject(gates))
    return [
      at(
        "gates",
        'gates is not a map; write gates: { Name: { default: false, meaning: "what is different" } }',
      ),
    ];
  return Object.entries(gates)
    .filter(([, gate]) => typeof gate?.default !== "boolean" || typeof gate.meaning !== "string")
    .map(([name]) =>
      at(name, `gates.${name} is not a gate; write { default: false, meaning: "what is different" }`),
    );
}

const known = new Set([
  "group",
  "kind",
  "plural",
  "scope",
  "categories",
  "shortNames",
  "approval",
  "versions",
  "needs",
  "gates",
  "hubRules",
  "default",
  "validate",
]);

const knownOfNatives = new Set([
  "native",
  "group",
  "version",
  "kind",
  "plural",
  "scope",
  "operations",
  "needs",
  "gates",
  "listKeys",
  "defaults",
  "prepare",
  "mutate",
]);

const versionProperties: Readonly<Record<keyof VersionDefinition, true>> = {
  name: true,
  lens: true,
  retired: true,
  listKeys: true,
};

const knownOfVersions = new Set(Object.keys(versionProperties));

const lensProperties: Readonly<Record<keyof Lens, true>> = {
  up: true,
  down: true,
  shared: true,
  spread: true,
  follow: true,
  labels: true,
  annotations: true,
  lossy: true,
  rows: true,
  madeAt: true,
};

const knownOfLenses = new Set(Object.keys(lensProperties));

function faultsOfVersions(versions: readonly VersionDefinition[]): readonly DefinitionFault[] {
  const names = versions.map((each) => each?.name);
  const ofEach = versions.flatMap((each, index) => {
    const name = names[index];
    if (typeof name !== "string" || !isDNS1123Label(name)) return [faultOfVersion(each, index)];
    if (names.indexOf(name) !== index)
      return [{ literal: name, sentence: `version ${name} stands twice in versions` }];
    return [
      ...(index + 1 < versions.length && typeof names[index + 1] !== "string"
        ? []
        : faultsOfLens(each, names[index + 1])),
      ...unknownProperties(each, knownOfVersions, "a version"),
      ...(isObject(each.lens) && !("older" in each.lens)
        ? unknownProperties(each.lens, knownOfLenses, "a lens")
        : []),
    ];
  });
  return [...ofEach, ...faultsOfMaps(versions)];
}

function faultOfVersion(each: unknown, index: number): DefinitionFault {
  const which = `entry ${index + 1} of versions`;
  if (typeof each === "string") return at("versions", `${which} is a text; write version("${each}")`);
  if (Array.isArray(each))
    return at("versions", `${which} is a list; write the versions one after the other`);
  return at("versions", `${which} has no name like v1; write version("v1", lens)`);
}

function faultsOfLens(
  { name, lens: defined }: VersionDefinition,
  newer: string | undefined,
): readonly DefinitionFault[] {
  const fault = (sentence: string) => [{ literal: name, sentence }];
  const lens = defined === undefined ? undefined : lensIn(defined);
  const isLens = typeof lens?.up === "function" && typeof lens.down === "function";
  if (newer === undefined)
    return lens === undefined
      ? []
      : fault(
          `version ${name} is the newest and has a lens; a lens leads to the next newer version, and versions are listed oldest first`,
        );
  if (isLens && "older" in lens && "newer" in lens)
    return fault(`the lens of version ${name} is a row; write version("${name}", lens(row))`);
  if (typeof lens === "function")
    return fault(
      `the lens of version ${name} is a function; a lens is what lens(…) or defineLens({ up, down }) returns`,
    );
  return isLens ? [] : fault(`version ${name} has no lens to ${newer}; write version("${name}", lens)`);
}

/** The faults of `retired` and `listKeys`, which map paths to advice and to lists of fields. */
function faultsOfMaps(versions: readonly VersionDefinition[]): readonly DefinitionFault[] {
  return versions.flatMap(({ retired = {}, listKeys = {} }) => [
    ...(isObject(retired)
      ? []
      : [
          at(
            "retired",
            'retired is not a map; write retired: { "spec.motor": "why, and what to use instead" }',
          ),
        ]),
    ...(isObject(listKeys)
      ? []
      : [at("listKeys", 'listKeys is not a map; write listKeys: { "spec.rules": ["name"] }')]),
    ...Object.entries(retired)
      .filter(([, advice]) => typeof advice !== "string")
      .map(([field]) => ({
        literal: field,
        sentence: `retired gives no advice for ${field}; write a sentence`,
      })),
    ...Object.entries(listKeys)
      .filter(([, keys]) => !isListOfTexts(keys))
      .map(([field]) => ({
        literal: field,
        sentence: `listKeys gives no fields for ${field}; write a list such as ["name"]`,
      })),
  ]);
}

/** What a sentence says of a value that should be something else. */
function shown(value: unknown): string {
  return value === undefined ? "is missing; it must be" : `${show(value)} is not`;
}

/** A value of any type in a sentence. */
function show(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
