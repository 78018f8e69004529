import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { type Document, readYaml, SyntaxFault } from "../yaml/yaml.ts";
import type { Fault } from "./fault.ts";

/** A document of a file below a folder. */
export interface FileDocument extends Document {
  readonly file: string;
  readonly text: string;
  /** Its index in the file. */
  readonly index: number;
}

/** Every document of the YAML and JSON files below a folder, file by file; none if there is no such folder. */
export function readFolder(folder: string): {
  readonly documents: readonly FileDocument[];
  readonly faults: readonly Fault[];
} {
  const read = filesBelow(folder).map(readDocuments);
  return {
    documents: read.flatMap(({ documents }) => documents),
    faults: read.flatMap(({ faults }) => faults),
  };
}

function readDocuments(file: string): {
  readonly documents: readonly FileDocument[];
  readonly faults: readonly Fault[];
} {
  const text = readText(file) ?? "";
  const parsed = parseDocuments(text);
  if ("sentence" in parsed) return { documents: [], faults: [{ file, ...parsed }] };
  return {
    documents: parsed.documents.map((document, index) => ({ ...document, file, text, index })),
    faults: [],
  };
}

/** The documents of a text; else why it cannot be read, and where. */
export function parseDocuments(
  text: string,
): { readonly documents: readonly Document[] } | Pick<Fault, "sentence" | "place"> {
  try {
    return { documents: readYaml(text) };
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error;
    const { line, column, message } = error;
    return { sentence: `cannot be read: ${message}`, place: { line, column } };
  }
}

/** The text of a regular file; undefined if there is none. */
export function readText(file: string): string | undefined {
  const isFile = statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
  return isFile ? readFileSync(file, "utf8") : undefined;
}

/** The YAML and JSON files below a folder, sorted; none if there is no such folder. */
export function filesBelow(folder: string): readonly string[] {
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const entries = isFolder ? readdirSync(folder, { withFileTypes: true, recursive: true }) : [];
  return entries
    .filter((entry) => entry.isFile() && /\.(ya?ml|json)$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}
