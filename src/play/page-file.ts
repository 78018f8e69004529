import { readFileSync } from "node:fs";
import path from "node:path";
import type { Example, Files } from "./state.ts";

/** What a page shows besides its own gallery. */
interface PageContent {
  readonly examples: readonly Example[];
  /** Path on the page's own server of a stream of events, each with the examples anew as JSON; without it the page asks nothing. */
  readonly live?: string;
}

/** The text of a page (`dist/play.html`) with other examples in it. */
export function pageWith(page: string, { examples, live }: PageContent): string {
  const withExamples = page.replace(
    /(<script type="application\/json" id="examples">).*?(<\/script>)/s,
    (_, start: string, end: string) => start + inScript(JSON.stringify(examples)) + end,
  );
  if (live === undefined) return withExamples;
  return withExamples
    .replace("default-src 'none'", "default-src 'none'; connect-src 'self'")
    .replace("<body>", () => `<body data-live="${encodeURI(live)}">`);
}

/** JSON or JavaScript as it may stand in an element `script`, which nothing in it ends. */
export function inScript(text: string): string {
  return text.replaceAll("<!--", "\\u003C!--").replaceAll(/<(?=\/?script)/gi, "\\u003C");
}

/**
 * The files of a kind's folder that a page needs: its definition, its versions, and what its code imports, types aside.
 * Another definition may stand in for its own.
 * @throws if the folder has no `kind.ts`, or if a file cannot be read
 */
export function filesOfKind(folder: string, definition?: string): Files {
  const files: Record<string, string> = {};
  const add = (name: string) => {
    if (Object.hasOwn(files, name)) return;
    const isGiven = name === "kind.ts" && definition !== undefined;
    const text = isGiven ? definition : readFileSync(path.join(folder, name), "utf8");
    files[name] = text;
    if (!name.endsWith(".ts")) return;
    for (const [, types, wanted] of text.matchAll(imports))
      if (types === undefined && wanted !== undefined) add(path.posix.join(path.posix.dirname(name), wanted));
  };
  add("kind.ts");
  for (const [, name] of (files["kind.ts"] ?? "").matchAll(/\bversion\(\s*"([^"]+)"/g)) add(`${name}.yaml`);
  return files;
}

const imports = /^(?:import|export)( type)?\b[^;]*?\bfrom "(\.[^"]+)"/gm;
