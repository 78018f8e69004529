/** What the draft of a lens leaves to its author, in the comments of its file (src/draft/lens-text.ts). */
interface Proposals {
  /** Fields that may be the same by another name: the older path, and the newer one. */
  readonly renames: readonly (readonly [older: string, newer: string])[];
  /** Fields that need a decision, or that the other version lacks. */
  readonly others: readonly string[];
}

/** Reads the comments of a lens's file. */
export function proposalsIn(text: string): Proposals {
  const rows = [...text.matchAll(/^\/\/ {3}move\("([^"]+)", "([^"]+)".*$/gm)];
  const renames = rows.flatMap(([, older = "", newer = ""]) =>
    older === newer ? [] : [[older, newer] as const],
  );
  const others = [...text.matchAll(/^\/\/ {3}([^\s()]+) {2}/gm)].map(([, path = ""]) => path);
  return { renames, others };
}

/** A field that another version may have by another name: the version without it, the one that has it, its path, and a hint. */
export interface Rename {
  readonly target: string;
  readonly owner: string;
  readonly path: string;
  readonly hint: string;
}

/** All renames that the comments of lenses propose; versions are in order, the oldest first. */
export function renamesIn(
  versions: readonly string[],
  files: Readonly<Record<string, string>>,
): readonly Rename[] {
  return versions.slice(1).flatMap((newer, index) => {
    const older = versions[index] ?? "";
    const file = `${older}.ts`;
    return proposalsIn(files[file] ?? "").renames.flatMap(([from, to]) => [
      { target: older, owner: newer, path: to, hint: `; maybe renamed from ${from}: see ${file}` },
      { target: newer, owner: older, path: from, hint: `; maybe renamed to ${to}: see ${file}` },
    ]);
  });
}
