import { isDNS1123Label, isDNS1123Subdomain } from "../apimachinery/names.ts";
import type { KindDefinition, VersionDefinition } from "./kind.ts";
import type { NativeDefinition } from "./native.ts";

/** The faults of a definition alone, before any file is read. It comes from a user's module, so any type is possible. */
export function validateDefinition(definition: KindDefinition): readonly string[] {
  const { group, versions } = definition;
  const faults = [
    ...(typeof group === "string" && isDNS1123Subdomain(group) && group.includes(".")
      ? []
      : [`group ${show(group)} is not a domain name like home.antechamber.dev`]),
    ...faultsOfNames(definition),
    ...(["default", "validate"] as const).flatMap((name) => faultsOfFunction(name, definition[name], false)),
    ...(definition.hubRules === undefined || ["deny", "warn"].includes(definition.hubRules)
      ? []
      : [`hubRules ${show(definition.hubRules)} is neither deny nor warn`]),
    ...unknownProperties(definition, known),
    ...faultsOfNeeds(definition.needs),
    ...faultsOfGates(definition.gates),
  ];
  if (!Array.isArray(versions) || versions.length === 0) {
    return [...faults, 'versions is not a list of versions, oldest first; write versions: [version("v1")]'];
  }
  return [...faults, ...faultsOfVersions(versions)];
}

/** The faults of the definition of a native kind. */
export function validateNativeDefinition(definition: NativeDefinition): readonly string[] {
  const { group, version, operations, listKeys = {} } = definition;
  const allowed = ["CREATE", "UPDATE"];
  return [
    ...(typeof group === "string" && (group === "" || isDNS1123Subdomain(group))
      ? []
      : [`group ${show(group)} is neither empty, for the core group, nor a domain name`]),
    ...(typeof version === "string" && isDNS1123Label(version)
      ? []
      : [`version ${show(version)} is not a name like v1`]),
    ...faultsOfNames(definition),
    ...(Array.isArray(operations) &&
    operations.length > 0 &&
    operations.every((each) => allowed.includes(each))
      ? []
      : ["operations is not a list of CREATE and UPDATE"]),
    ...Object.entries(listKeys)
      .filter(([, keys]) => !Array.isArray(keys) || !keys.every((key) => typeof key === "string"))
      .map(([field]) => `listKeys.${field} is not a list of fields`),
    ...faultsOfFunction("prepare", definition.prepare, false),
    ...faultsOfFunction("mutate", definition.mutate, true),
    ...unknownProperties(definition, knownOfNatives),
    ...faultsOfNeeds(definition.needs),
    ...faultsOfGates(definition.gates),
  ];
}

function faultsOfNames({ kind, plural, scope }: KindDefinition | NativeDefinition): readonly string[] {
  return [
    ...(typeof kind === "string" && /^[A-Z][A-Za-z0-9]{0,62}$/.test(kind)
      ? []
      : [`kind ${show(kind)} is not a name like Room`]),
    ...(typeof plural === "string" && isDNS1123Label(plural)
      ? []
      : [`plural ${show(plural)} is not a name like rooms`]),
    ...(scope === "Namespaced" || scope === "Cluster"
      ? []
      : [`scope ${show(scope)} is neither Namespaced nor Cluster`]),
  ];
}

function faultsOfFunction(name: string, found: unknown, isRequired: boolean): readonly string[] {
  if (found === undefined && !isRequired) return [];
  if (typeof found !== "function") return [`${name} is not a function`];
  return found.constructor.name === "AsyncFunction"
    ? [`${name} is async; a review waits for nothing: ask for a lister by needs`]
    : [];
}

function unknownProperties(definition: object, properties: ReadonlySet<string>): readonly string[] {
  const unknown = Object.keys(definition).filter((key) => !properties.has(key));
  if (unknown.length === 0) return [];
  const noun = unknown.length === 1 ? "property" : "properties";
  const names = unknown.map((name) => JSON.stringify(name)).join(", ");
  return [`unknown ${noun} ${names}; a kind has ${[...properties].join(", ")}`];
}

function faultsOfNeeds(needs: KindDefinition["needs"] = {}): readonly string[] {
  return Object.entries(needs)
    .filter(([, need]) => typeof need?.group !== "string" || typeof need.kind !== "string")
    .map(([name]) => `needs.${name} is not a lister; write lister("group", "Kind")`);
}

function faultsOfGates(gates: KindDefinition["gates"] = {}): readonly string[] {
  return Object.entries(gates)
    .filter(([, gate]) => typeof gate?.default !== "boolean" || typeof gate.meaning !== "string")
    .map(([name]) => `gates.${name} is not a gate; write { default: false, meaning: "what is different" }`);
}

const known = new Set([
  "group",
  "kind",
  "plural",
  "scope",
  "categories",
  "shortNames",
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

function faultsOfVersions(versions: readonly VersionDefinition[]): readonly string[] {
  const names = versions.map((each) => each?.name);
  return versions.flatMap((each, index) => {
    const name = names[index];
    if (typeof name !== "string" || !isDNS1123Label(name)) return [`version ${index} has no name like v1`];
    if (names.indexOf(name) !== index) return [`version ${name} stands twice in versions`];
    const newest = index === versions.length - 1;
    const joined = typeof each.lens?.up === "function" && typeof each.lens.down === "function";
    if (newest && each.lens !== undefined)
      return [`version ${name} is the newest and has a lens; a lens leads to the next newer version`];
    if (!newest && !joined)
      return [`version ${name} has no lens to ${names[index + 1]}; write version("${name}", lens)`];
    return [];
  });
}

/** A value of any type in a sentence. */
export function show(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
