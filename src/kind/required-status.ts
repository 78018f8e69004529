import type { Version } from "./kind.ts";

/** The fields that a version requires in its status. Where there are some, no status can hold a carrier alone. */
export function requiredInStatus({ shape }: Pick<Version, "shape">): readonly string[] {
  return shape.properties.get("status")?.required ?? [];
}

/** A version, and the fields that it requires in its status. */
interface Requiring {
  readonly name: string;
  readonly required: readonly string[];
}

/** What the author of a kind should know of versions whose status requires fields, and can do about it: once for the same fields. */
export function remarksOnStatus(versions: readonly Requiring[]): readonly string[] {
  const requiring = versions.filter(({ required }) => required.length > 0);
  return [...Map.groupBy(requiring, ({ required }) => required.join(" and "))].map(([fields, these]) => {
    const [names, files] = [these.map(({ name }) => name), these.map(({ name }) => `${name}.yaml`)];
    const verb = names.length === 1 ? "requires" : "require";
    return `status of ${inWords(names)} ${verb} ${fields}, so conversion data has no place there until a controller writes status: a client that drops annotations before then loses values. Take ${fields} out of required of status in ${inWords(files)} where you can (docs/reference/limits.md)`;
  });
}

function inWords(names: readonly string[]): string {
  return [names.slice(0, -1).join(", "), ...names.slice(-1)].filter((each) => each !== "").join(" and ");
}
