import path from "node:path";
import type { Fault } from "../kind/fault.ts";
import { shownPath } from "../kind/fault.ts";
import type { Kind } from "../kind/kind.ts";
import { type FileDocument, readFolder } from "../kind/read-documents.ts";
import { type Case, readCase } from "../testing/case.ts";
import { type Position, placesOf } from "../yaml/places.ts";

/** A case that is to be tested, with its place. */
export interface PlacedCase {
  readonly kind: Kind;
  readonly name: string;
  readonly file: string;
  readonly position: Position;
  readonly found: Case;
}

/** The cases in the folder of a kind, and what is wrong with its case files. */
export function readCases(kind: Kind): {
  readonly cases: readonly PlacedCase[];
  readonly faults: readonly Fault[];
} {
  const { documents, faults } = readFolder(path.join(kind.folder, "cases"));
  const read = documents.map((document) => ({ document, ...readCase(document.value, kind) }));
  return {
    cases: read.flatMap((each) => ("found" in each ? [placedCase(each.found, each.document, kind)] : [])),
    faults: [
      ...faults,
      ...read.flatMap((each) => ("faults" in each ? each.faults.map(faultIn(each.document)) : [])),
    ],
  };
}

function placedCase(found: Case, { file, line }: FileDocument, kind: Kind): PlacedCase {
  const name = found.name ?? `${shownPath(file)}:${line}`;
  return { kind, name, file, position: { line, column: 1 }, found };
}

function faultIn({ file, text, index, line }: FileDocument) {
  return ({
    path: at,
    sentence,
  }: {
    readonly path: readonly (string | number)[];
    readonly sentence: string;
  }): Fault => ({
    file,
    place: placesOf(text).find(index, at, "") ?? { line, column: 1 },
    sentence,
  });
}
