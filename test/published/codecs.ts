import { type Codec, isArray, isInteger, isObject, type Json, type Lens, toDouble } from "antechamber";

/** A list of objects, each converted by a lens; what is not an object stays as it is. */
export function each(lens: Lens): Codec {
  const list = (convert: (item: Json) => Json) => (value: Json) =>
    isArray(value) ? value.map(convert) : undefined;
  return {
    up: list((item) => (isObject(item) ? lens.up(item) : item)),
    down: list((item) => (isObject(item) ? lens.down(item) : item)),
  };
}

/** An object converted by a lens of its own. */
export function within(lens: Lens): Codec {
  return {
    up: (older) => (isObject(older) ? lens.up(older) : undefined),
    down: (newer) => (isObject(newer) ? lens.down(newer) : undefined),
  };
}

/** A duration as Go prints it ↔ whole seconds: `1h0m30s` ↔ 3630. */
export const seconds: Codec = {
  up: (older) => {
    const [, hours, minutes, rest] =
      (isText(older) && /^(?:(\d{1,4})h)?(?:(\d{1,5})m)?(?:(\d{1,6})s)?$/.exec(older)) || [];
    if (hours === undefined && minutes === undefined && rest === undefined) return undefined;
    return Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(rest ?? 0);
  },
  down: (newer) => {
    if (!isInteger(newer)) return undefined;
    const whole = toDouble(newer);
    if (whole < 0 || whole > 2 ** 31) return undefined;
    const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
    return `${hours > 0 ? `${hours}h` : ""}${hours > 0 || minutes > 0 ? `${minutes}m` : ""}${rest}s`;
  },
};

/** An object reference that names a version ↔ one that names a group: the version of an older reference is always v1beta1. */
export const groupReference: Codec = {
  up: (older) => {
    if (!isObject(older)) return undefined;
    const { apiVersion, kind, name } = older;
    const [, apiGroup] = (isText(apiVersion) && /^([^/]+)\/[^/]+$/.exec(apiVersion)) || [];
    return present({ apiGroup, kind, name });
  },
  down: (newer) => {
    if (!isObject(newer)) return undefined;
    const { apiGroup, kind, name } = newer;
    return present({ apiVersion: isText(apiGroup) ? `${apiGroup}/v1beta1` : undefined, kind, name });
  },
};

/** An object reference ↔ the three fields of it that a template needs. */
export const templateReference: Codec = {
  up: (older) => (isObject(older) ? pick(older, ["apiVersion", "kind", "name"]) : undefined),
  down: (newer) => (isObject(newer) ? pick(newer, ["apiVersion", "kind", "name"]) : undefined),
};

/** A reference to an object whose kind is known: all but its name is the older version's. */
export const nameReference: Codec = {
  up: (older) => (isObject(older) ? pick(older, ["name"]) : undefined),
  down: (newer) => (isObject(newer) ? pick(newer, ["name"]) : undefined),
};

/** An object of the fields that have a value. */
export function present(fields: Readonly<Record<string, Json | undefined>>): Json {
  return Object.fromEntries(
    Object.entries(fields).filter(
      (entry): entry is [string, Json] => entry[1] !== undefined && entry[1] !== null,
    ),
  );
}

/** Whether a value is a string. */
export function isText(value: Json | undefined): value is string {
  return typeof value === "string";
}

function pick(object: Readonly<Record<string, Json>>, names: readonly string[]): Json {
  return present(Object.fromEntries(names.map((name) => [name, object[name]])));
}
