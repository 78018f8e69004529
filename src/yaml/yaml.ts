import {
  Composer,
  isScalar,
  Lexer,
  LineCounter,
  type ParsedNode,
  Parser,
  type Scalar,
  type YAMLParseError,
} from "yaml";
import { type Document, faultAt, mostText, tooDeep } from "../json/document.ts";
import type { Numbers } from "../json/exact.ts";
import { readJsonText } from "../json/json-text.ts";
import { documentValue, offsetOf } from "./node.ts";

export { type Document, SyntaxFault } from "../json/document.ts";
export { writeYaml } from "./write.ts";

/**
 * Reads the documents of a YAML or JSON text as Kubernetes would; empty ones are left out. How numbers are written counts in
 * JSON alone. Throws SyntaxFault.
 */
export function readYaml(text: string, numbers?: Numbers): readonly Document[] {
  if (text.length > mostText) throw faultAt("", 0, "the text has more than 64 MiB; split it");
  // A byte order mark does not belong to the text.
  const body = text.startsWith("\ufeff") ? text.slice(1) : text;
  return readJsonText(body, numbers) ?? [...readDocuments(body)];
}

// The package composes nodes by recursion; somewhere above 800 deep it runs out of stack.
const mostYamlDepth = 500;

// A token costs the reader about 250 bytes; ten megabytes of ordinary YAML have three million.
const mostTokens = 3_000_000;

function* readDocuments(text: string): Generator<Document> {
  for (const { contents, lines } of documentNodes(text)) {
    yield { value: documentValue(text, contents), line: lines.linePos(offsetOf(contents)).line };
  }
}

/** The root nodes of the documents of a YAML text, as the package reads them; empty documents are left out. */
export function* documentNodes(text: string): Generator<{ contents: ParsedNode; lines: LineCounter }> {
  refuseControls(text);
  const lines = new LineCounter();
  // The package reads the syntax only ("failsafe": every word is a string); what words mean is Kubernetes' affair.
  // It would look for keys that stand twice by comparing all with all.
  const composer = new Composer({ schema: "failsafe", resolveKnownTags: false, uniqueKeys: false });
  for (const document of composer.compose(tokensOf(text, lines), true, text.length)) {
    const { contents, errors } = document;
    const [first] = errors.toSorted((a, b) => a.pos[0] - b.pos[0]);
    if (first !== undefined) throw faultAt(text, first.pos[0], sentence(first));
    if (contents === null || (isScalar(contents) && isAbsent(contents))) continue;
    yield { contents: contents as ParsedNode, lines };
  }
}

/** The tokens of a text, one a document. What would exhaust the reader is refused while it is read. */
function* tokensOf(text: string, lines: LineCounter) {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    count += 1;
    for (const token of parser.next(lexeme)) {
      if (token.type === "document") count = 0;
      yield token;
      if (token.type === "error") return;
    }
    // Beside the maps and lists there are the document and a word.
    if (parser.stack.length > mostYamlDepth + 2) throw faultAt(text, parser.offset, tooDeep(mostYamlDepth));
    if (count > mostTokens)
      throw faultAt(text, parser.offset, "this document is too large for YAML; give it as JSON");
  }
  yield* parser.end();
}

/** Whether a document has no value at all, not even a null. */
function isAbsent(scalar: Scalar): boolean {
  return scalar.type === "PLAIN" && scalar.value === "" && scalar.tag === undefined;
}

function refuseControls(text: string): void {
  const offset = text.search(/[[\p{Cc}\p{Cs}\uFFFE\uFFFF]--[\t\n\r\u0085]]/v);
  if (offset === -1) return;
  const code = (text.codePointAt(offset) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  throw faultAt(
    text,
    offset,
    `the character U+${code} may not stand in YAML; write it as an escape in double quotes`,
  );
}

/** A fault of the package in words: not as long as the text that it may cite. */
function sentence({ code, message }: YAMLParseError): string {
  if (code === "RESOURCE_EXHAUSTION") return tooDeep(mostYamlDepth);
  return message.length > 200 ? `${message.slice(0, 200)}…` : message;
}
