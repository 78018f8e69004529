/** What the CRD of a kind says of it, besides its versions. */
export interface KindNames {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster";
  readonly categories: readonly string[];
  readonly shortNames: readonly string[];
  readonly approval?: string | undefined;
}

/** The text of a `kind.ts`: versions oldest first, each but the newest with the lens of its file. */
export function kindText(names: KindNames, versions: readonly string[]): string {
  const older = versions.slice(0, -1);
  const imports = older.map((name) => `import { ${lensName(name)} } from "./${lensFile(name)}";\n`);
  const entries = versions.map((name, index) =>
    index < older.length
      ? `    version(${JSON.stringify(name)}, ${lensName(name)}),\n`
      : `    version(${JSON.stringify(name)}),\n`,
  );
  const { group, kind, plural, scope, categories, shortNames, approval } = names;
  const more = {
    ...(categories.length === 0 ? {} : { categories }),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(approval === undefined ? {} : { approval }),
  };
  const fields = { group, kind, plural, scope, ...more };
  return [
    'import { defineKind, version } from "antechamber";\n',
    ...imports,
    "\n",
    "export default defineKind({\n",
    ...Object.entries(fields).map(([name, value]) => `  ${name}: ${JSON.stringify(value)},\n`),
    `  versions: [\n${entries.join("")}  ], // oldest first: the newest is the hub, which is stored\n`,
    "});\n",
  ].join("");
}

/** The constant that holds the lens of a version; a name that could have another meaning in the file gets a longer one. */
export function lensName(version: string): string {
  const name = version.replaceAll("-", "_");
  return /^v\d/.test(name) ? name : `lens_${name}`;
}

/** The file of that lens. */
export function lensFile(version: string): string {
  return ["kind", "types"].includes(version) ? `lens-${version}.ts` : `${version}.ts`;
}
