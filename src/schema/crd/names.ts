import { faultsOfDNS1035Label, faultsOfDNS1123Subdomain } from "../../apimachinery/names.ts";
import type { CrdNames } from "../model/crd.ts";
import { invalid, required, type SchemaFault } from "../model/fault.ts";

/** What is wrong with the names of a kind. */
export function faultsOfNames(names: CrdNames, at: string): readonly SchemaFault[] {
  const { plural, singular, kind, listKind, shortNames, categories } = names;
  const missing = (["plural", "singular", "kind", "listKind"] as const).filter((key) => names[key] === "");
  const mixed = "may have mixed case, but should otherwise match: ";
  return [
    ...missing.map((key) => required(`${at}.${key}`)),
    ...(plural === "" ? [] : faultsOfLabel(plural, plural, "", `${at}.plural`)),
    ...(singular === "" ? [] : faultsOfLabel(singular, singular, "", `${at}.singular`)),
    ...(kind === "" ? [] : faultsOfLabel(kind, kind.toLowerCase(), mixed, `${at}.kind`)),
    ...(listKind === "" ? [] : faultsOfLabel(listKind, listKind.toLowerCase(), mixed, `${at}.listKind`)),
    ...shortNames.flatMap((name, index) => faultsOfLabel(name, name, "", `${at}.shortNames[${index}]`)),
    ...(kind !== "" && kind === listKind
      ? [invalid(`${at}.listKind`, listKind, "kind and listKind may not be the same")]
      : []),
    ...categories.flatMap((name, index) => faultsOfLabel(name, name, "", `${at}.categories[${index}]`)),
  ];
}

/** A value whose text must be a label; what is wrong with it comes in one sentence. */
export function faultsOfLabel(
  value: string,
  text: string,
  before: string,
  at: string,
): readonly SchemaFault[] {
  const faults = faultsOfDNS1035Label(text);
  return faults.length === 0 ? [] : [invalid(at, value, `${before}${faults.join(",")}`)];
}

/** What is wrong with the group of a kind. */
export function faultsOfGroup(group: string, at: string): readonly SchemaFault[] {
  if (group === "") return [required(at)];
  const faults = faultsOfDNS1123Subdomain(group);
  if (faults.length > 0) return [invalid(at, group, faults.join(","))];
  return group.includes(".") ? [] : [invalid(at, group, "should be a domain with at least one dot")];
}
