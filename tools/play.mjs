// Builds the page in which versions are seen side by side: one HTML file that asks nothing of any server. It holds the
// script, the styles, the engine as the text of a worker, and the kinds of the gallery as JSON.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { gallery } from "../examples/play/gallery.ts";
import { inScript, pageWith } from "../src/play/page-file.ts";

const root = path.resolve(import.meta.dirname, "..");
const page = path.join(root, "src/play/page");

/** Writes the page to a file; the names of the packages of node_modules that are in it. */
export async function buildPage(file) {
  const [script, worker] = [await bundled("main.ts", "esm"), await bundled("worker.ts", "iife")];
  const styles = readFileSync(path.join(page, "page.css"), "utf8")
    .replaceAll(/\/\*.*?\*\//gs, "")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ ?([{};,]) ?/g, "$1")
    .replaceAll(";}", "}");
  const text = pageWith(pageOf({ script: script.code, worker: worker.code, styles }), {
    examples: gallery(),
  });
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  const modules = [script, worker].flatMap(({ moduleIds }) => moduleIds);
  return new Set(modules.flatMap((id) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? []));
}

async function bundled(name, format) {
  const bundle = await rolldown({
    input: path.join(page, name),
    platform: "browser",
    logLevel: "warn",
    // No module of the page does anything by reading a property or a global.
    treeshake: { propertyReadSideEffects: false, unknownGlobalSideEffects: false },
    plugins: [browserPlatform, leanPackages],
    transform: { target: "es2024" },
  });
  const { output } = await bundle.generate({
    format,
    minify: true,
    comments: { annotation: false },
    codeSplitting: false,
  });
  await bundle.close();
  return output[0];
}

/** The engine asks a file of its own for what browsers have otherwise. */
const browserPlatform = {
  name: "browser-platform",
  async resolveId(source) {
    if (!source.endsWith("/platform.ts")) return null;
    return path.join(root, "src/play/platform.ts");
  },
};

/**
 * What the page needs nothing of: sucrase makes CommonJS of TypeScript, and yaml reads the syntax alone ("failsafe"), as
 * src/yaml/yaml.ts says, and edits no tokens.
 */
const unused =
  /yaml\/browser\/dist\/(?:parse\/cst-\w+|doc\/applyReviver)\.js$|yaml\/browser\/dist\/schema\/(?:core|json|yaml-1\.1)\/(?!merge)\w+\.js$|sucrase\/dist\/esm\/(?:Options|computeSourceMap|util\/(?:formatTokens|get(?:JSXPragmaInfo|TSImportedNames)|isAsyncOperation)|parser\/plugins\/(?:flow|jsx\/.*)|transformers\/(?:.*Flow.*|Numeric.*|Optional.*|ESMImport.*|JSX.*|ReactHot.*|ReactDisplay.*|jest.*|Jest.*))\.js$/;

/** The texts of functions that sucrase adds for older JavaScript and for Node.js. */
const unusedHelper = /^ {2}(?:require|\w*[nN]ullish\w*|\w*[oO]ptional\w*): `[^`]*`,$/gm;

/** Takes of packages only what the page runs. */
const leanPackages = {
  name: "lean-packages",
  load(id) {
    if (!unused.test(id)) return null;
    const text = readFileSync(id, "utf8");
    const declared = [...text.matchAll(/^export (default )?(?:class|function|const|var) (\w+)/gm)];
    const listed = [...text.matchAll(/^export \{ (.*) \};$/gm)].flatMap(([, list]) => list.split(", "));
    const names = [
      ...declared.map(([, isDefault = "", name]) => [isDefault, name]),
      ...listed.map((name) => ["", name]),
    ];
    const stubs = names.map(([isDefault, name]) => `export ${isDefault}function ${name}() {}`);
    return { code: stubs.join("\n"), moduleType: "js" };
  },
  transform(code, id) {
    if (id.endsWith("sucrase/dist/esm/HelperManager.js")) return code.replaceAll(unusedHelper, "");
    // Of a namespace the bundler takes what is used; of the same as a default export it takes all.
    return code.replace('import fc from "fast-check"', 'import * as fc from "fast-check"');
  },
};

function pageOf({ script, worker, styles }) {
  const hash = createHash("sha256").update(script).digest("base64");
  // Code in texts runs only from an address of an object that the page itself made: so start the worker and the kinds in it.
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${hash}' blob:`,
    "worker-src blob:",
    "style-src 'unsafe-inline'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Antechamber: versions side by side</title>
<link rel="icon" href="data:,">
<style>${styles}</style>
<body>
<script type="application/json" id="examples">[]</script>
<script type="text/plain" id="worker">${inScript(worker)}</script>
<script type="module">${inert(script)}</script>
</html>
`;
}

function inert(text) {
  if (/<!--|<\/?script/i.test(text)) throw new Error("the script of the page would end its own element");
  return text;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  await buildPage(path.resolve(process.argv[2] ?? path.join(root, "dist/play.html")));
