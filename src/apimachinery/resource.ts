import type { JsonObject } from "../json/json.ts";

/** The group and version that an apiVersion names; the core group is empty: `v1`, `home.antechamber.dev/v1`. */
export function groupVersionOf(apiVersion: string): { readonly group: string; readonly version: string } {
  const slash = apiVersion.indexOf("/");
  return slash < 0
    ? { group: "", version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** A group and a version as an apiVersion. */
export function apiVersionOf(group: string, version: string): string {
  // Joined, since a concatenated string is a rope in V8, and one rope makes JSON.stringify slower for a whole response.
  return group === "" ? version : [group, version].join("/");
}

/** A kind with its group, as the API server prints it: `Pod`, `Room.home.antechamber.dev`. */
export function kindName(group: string, kind: string): string {
  return group === "" ? kind : `${kind}.${group}`;
}

/** The same of an object, valid or not, by its apiVersion and kind. */
export function kindNameOf({ apiVersion = "", kind = "" }: JsonObject): string {
  return kindName(groupVersionOf(String(apiVersion)).group, String(kind));
}
