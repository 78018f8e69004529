import type { KindDefinition, VersionDefinition } from "./kind.ts";
import { isLabel, isSubdomain } from "./resource.ts";

/** What is wrong with a definition on its own, before any file is read. It comes from a user's module: any type is possible. */
export function faultsOfDefinition(definition: KindDefinition): readonly string[] {
  const faults: string[] = [];
  const expect = (holds: boolean, sentence: string) => holds || faults.push(sentence);
  const { group, kind, plural, scope, versions } = definition;
  expect(
    typeof group === "string" && isSubdomain(group) && group.includes("."),
    `group ${show(group)} is not a domain name like home.antechamber.dev`,
  );
  expect(
    typeof kind === "string" && /^[A-Z][A-Za-z0-9]{0,62}$/.test(kind),
    `kind ${show(kind)} is not a name like Room`,
  );
  expect(typeof plural === "string" && isLabel(plural), `plural ${show(plural)} is not a name like rooms`);
  expect(
    scope === "Namespaced" || scope === "Cluster",
    `scope ${show(scope)} is neither Namespaced nor Cluster`,
  );
  for (const each of ["default", "validate"] as const) {
    const found: unknown = definition[each];
    expect(found === undefined || typeof found === "function", `${each} is not a function`);
    expect(
      found?.constructor.name !== "AsyncFunction",
      `${each} is async; a review waits for nothing: ask for a lister by needs`,
    );
  }
  const strange = Object.keys(definition).filter((key) => !known.has(key));
  expect(
    strange.length === 0,
    `${strange.join(", ")} is nothing that a kind defines; it defines ${[...known].join(", ")}`,
  );
  for (const [name, need] of Object.entries(definition.needs ?? {})) {
    expect(
      typeof need?.group === "string" && typeof need.kind === "string",
      `needs.${name} is no lister; write lister("group", "Kind")`,
    );
  }
  if (!Array.isArray(versions) || versions.length === 0) {
    return [...faults, 'versions is not a list of versions, oldest first; write versions: [version("v1")]'];
  }
  return [...faults, ...faultsOfVersions(versions)];
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
  "default",
  "validate",
]);

function faultsOfVersions(versions: readonly VersionDefinition[]): readonly string[] {
  const names = versions.map((each) => each?.name);
  return versions.flatMap((each, index) => {
    const name = names[index];
    if (typeof name !== "string" || !isLabel(name)) return [`version ${index} has no name like v1`];
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
