import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A project of a user's own with one kind, in a temporary folder. */
export interface Blinds {
  readonly folder: string;
  /** Replaces a text in a file of the kind. */
  readonly edit: (file: string, from: string, to: string) => void;
  readonly remove: () => void;
}

/** Copies test/cases/blinds. */
export function blinds(): Blinds {
  const folder = mkdtempSync(join(tmpdir(), "antechamber-dev-"));
  cpSync("test/cases/blinds", folder, { recursive: true });
  const edit = (name: string, from: string, to: string) => {
    const file = join(folder, "webhooks/home/blind", name);
    const before = readFileSync(file, "utf8");
    if (!before.includes(from)) throw new Error(`${name} has no ${from}`);
    writeFileSync(file, before.replace(from, to));
  };
  return { folder, edit, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
