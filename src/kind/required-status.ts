import type { Version } from "./kind.ts";

/** The fields that a version requires in its status. Where there are some, no status can hold a carrier alone. */
export function requiredInStatus({ shape }: Pick<Version, "shape">): readonly string[] {
  return shape.properties.get("status")?.required ?? [];
}

/** What the author of a kind should know of a version whose status requires fields, and can do about it. */
export function remarkOnStatus(version: string, required: readonly string[]): string {
  const fields = required.join(" and ");
  return `status of ${version} requires ${fields}, so conversion data has no place there until a controller writes status: a client that drops annotations before then loses values. Take ${fields} out of required of status in ${version}.yaml where you can (docs/reference/limits.md)`;
}
