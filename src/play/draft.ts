import { draftKind } from "../draft/kind-files.ts";
import { UsageError } from "../errors.ts";
import { SyntaxFault } from "../json/document.ts";
import { isObject, type Json, listAt, textAt } from "../json/json.ts";
import type { Path } from "../json/path.ts";
import { crdsIn } from "../offline/crd-import.ts";
import { withoutCrd } from "../offline/crd-input.ts";
import type { PlacedObject } from "../offline/input.ts";
import { type Document, readYaml } from "../yaml/yaml.ts";
import { proposalsIn } from "./proposals.ts";
import type { Session } from "./protocol.ts";
import type { Example } from "./state.ts";

/** What `import` makes of a CRD, to play with; or why an API server would not take it, line by line. */
export type Drafted =
  | { readonly example: Example; readonly notes: readonly string[] }
  | { readonly fault: string };

/** Drafts the kind of the first CRD in a text, YAML or JSON. Lenses may use the words of the package `antechamber`. */
export function draftedFrom(text: string, { packages }: Pick<Session, "packages">): Drafted {
  try {
    const objects = readYaml(text).flatMap(objectsOf);
    const [crd] = crdsIn({ text, objects }, {}).crds;
    if (crd === undefined) return { fault: withoutCrd("the text").message };
    const { files, lenses, withoutExample } = draftKind(crd.names, crd.versions);
    const texts = Object.fromEntries(files.map(({ file, content }) => [file, content]));
    const { name = "" } = crd.versions.at(-1) ?? {};
    const start = texts[`examples/${name}.yaml`] ?? bareObject(crd.names, name);
    const { kind } = crd.names;
    const vocabulary = Object.keys(packages.antechamber ?? {});
    const code = Object.entries(texts).flatMap(([file, content]) =>
      file.startsWith("examples/") ? [] : [[file, withWords(content, vocabulary)] as const],
    );
    const example = {
      id: "",
      title: kind,
      about: "",
      at: name,
      text: start,
      files: Object.fromEntries(code),
    };
    const notes = [
      ...lenses.flatMap(({ older, newer, warnings }) => [
        `${older} to ${newer}: ${leftTo(texts[`${older}.ts`] ?? "")} ${older}.ts`,
        ...warnings,
      ]),
      ...withoutExample.map((each) => `no example of ${each} was found that its schema admits`),
    ];
    return { example, notes };
  } catch (error) {
    if (error instanceof UsageError) return { fault: error.message };
    if (error instanceof SyntaxFault) return { fault: `line ${error.line}: ${error.message}` };
    throw error;
  }
}

/** A lens that imports what its comments propose, so that a row need only be moved into it. */
function withWords(text: string, vocabulary: readonly string[]): string {
  return text.replace(/^import \{ (.*lens.*) \} from "antechamber";/, (_, listed: string) => {
    const proposed = vocabulary.filter((word) => new RegExp(`^// .*\\b${word}\\(`, "m").test(text));
    const words = new Set([...listed.split(", "), "move", ...proposed]);
    return `import { ${[...words].toSorted().join(", ")} } from "antechamber";`;
  });
}

/** A sentence names so many fields. */
const mostFields = 6;

/** Which fields a draft leaves to its author, up to the name of the file. */
function leftTo(text: string): string {
  const { renames, others } = proposalsIn(text);
  const named = (fields: readonly string[]) =>
    fields.slice(0, mostFields).join(", ") + (fields.length > mostFields ? " and others" : "");
  const parts = [
    renames.length === 0 ? "" : `maybe renamed: ${named(renames.map(([from, to]) => `${from} to ${to}`))}`,
    others.length === 0 ? "" : `without a counterpart: ${named(others)}`,
  ].filter((part) => part !== "");
  return parts.length === 0 ? "every field has a counterpart: see" : `${parts.join(", ")}; decide in`;
}

/** The objects of a document: those in a list, as `kubectl get crds -o yaml` prints them, or the one that it is. */
function objectsOf(found: Document, document: number): readonly PlacedObject[] {
  const items = textAt(found.value, "kind") === "List" ? listAt(found.value, "items") : undefined;
  const all: readonly (readonly [Json, Path])[] = items?.map((item, index) => [item, ["items", index]]) ?? [
    [found.value, []],
  ];
  return all.flatMap(([value, path]) =>
    isObject(value)
      ? [
          {
            value,
            path,
            document,
            file: "the text",
            source: `line ${found.line}`,
            find: () => ({ line: found.line }),
          },
        ]
      : [],
  );
}

function bareObject(
  { group, kind }: { readonly group: string; readonly kind: string },
  version: string,
): string {
  return `apiVersion: ${group}/${version}\nkind: ${kind}\nmetadata:\n  name: example\n`;
}
