import { nameOfPath } from "../conversion/field-path.ts";
import type { AnyRow } from "../conversion/lens.ts";
import { image } from "../conversion/version-chain.ts";
import { get, isObject } from "../json/json.ts";
import { allOf, type SchemaPlace, valuesIn } from "./places.ts";
import { type Fault, placesOf, type Samples } from "./row-faults.ts";
import { type Setting, versionAt } from "./setting.ts";

/** The fields of one version that repeat keys of maps, as the rows between it and a neighbour say. */
export function derivedPlaces(setting: Setting, version: number, other: number): readonly SchemaPlace[] {
  const lens = setting.kind.chain.versions[Math.min(version, other)]?.lens;
  const names = new Set(derivedIn(lens?.rows ?? [], version < other ? "older" : "newer"));
  return allOf(placesOf(setting, version)).filter(({ text }) => names.has(text.replaceAll(/\[\]|\.\*/g, "")));
}

function derivedIn(rows: readonly AnyRow[], side: "older" | "newer"): readonly string[] {
  return rows.flatMap((row) => {
    const { value } = row[side];
    const inside = derivedIn(row.inner?.lens.rows ?? [], side);
    return [
      ...(row.derived?.[side] ?? []),
      ...inside.map((field) => (value === undefined ? field : `${nameOfPath(value)}.${field}`)),
    ];
  });
}

/** Fields that repeat keys in which a lens writes something else than the key, or nothing. */
export function derivedOtherwise(setting: Setting, older: number, samples: Samples): readonly Fault[] {
  const newer = older + 1;
  return [
    ...otherwise(setting, samples.newer, newer, older),
    ...otherwise(setting, samples.older, older, newer),
  ];
}

function otherwise(setting: Setting, contents: Samples["older"], from: number, to: number): readonly Fault[] {
  const { name: version } = versionAt(setting, from);
  return derivedPlaces(setting, to, from).flatMap(({ text, steps }) => {
    const name = String(steps.at(-1));
    const entries = contents.flatMap((content) =>
      valuesIn(image(content, setting.kind.chain, from, to), steps.slice(0, -2))
        .filter(isObject)
        .flatMap((map) => Object.entries(map)),
    );
    const found = entries.find(([key, entry]) => get(entry, name) !== key);
    if (found === undefined) return [];
    const hint = `clients of ${version} say it with the key; the codec has to write the key there`;
    return [{ field: text, expected: found[0], actual: get(found[1], name), hint }];
  });
}
