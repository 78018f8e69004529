// Builds the page in which versions are seen side by side: one HTML file that asks nothing of any server. It holds the
// script, the styles, the engine as the text of a worker, and the kinds of the gallery as JSON.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const root = path.resolve(import.meta.dirname, "..");
const page = path.join(root, "src/play/page");

/** The examples of the gallery, in order: the folder of each kind, the object to begin with, and what to look at. */
const gallery = [
  {
    id: "room",
    title: "Room",
    about:
      "One brightness for all lights at v1beta1, one for each at v1. Change the floor at v1beta1: colours and buildings stay.",
    folder: "webhooks/home/room",
    at: "v1",
    object: "webhooks/home/room/examples/v1/kitchen.yaml",
  },
];

/** Writes the page to a file, and returns its text. */
export async function buildPage(file) {
  const [script, worker] = [await bundled("main.ts", "esm"), await bundled("worker.ts", "iife")];
  const styles = readFileSync(path.join(page, "page.css"), "utf8");
  const text = pageOf({ script, worker, styles, examples: gallery.map(exampleOf) });
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return text;
}

async function bundled(name, format) {
  const bundle = await rolldown({
    input: path.join(page, name),
    platform: "browser",
    logLevel: "warn",
    plugins: [browserPlatform],
    transform: { target: "es2023" },
  });
  const { output } = await bundle.generate({ format, minify: true, codeSplitting: false });
  await bundle.close();
  return output[0].code;
}

/** The engine asks a file of its own for what browsers have otherwise. */
const browserPlatform = {
  name: "browser-platform",
  async resolveId(source, importer) {
    if (!source.endsWith("/platform.ts") || importer?.includes("/src/play/")) return null;
    return path.join(root, "src/play/platform.ts");
  },
};

function exampleOf({ id, title, about, folder, at, object }) {
  const text = readFileSync(path.join(root, object), "utf8");
  return { id, title, about, at, text, files: filesOf(path.join(root, folder)) };
}

/** The definition of a kind, its versions, and what its code imports, types aside. */
function filesOf(folder) {
  const files = {};
  const add = (name) => {
    const file = path.join(folder, name);
    if (files[name] !== undefined || !existsSync(file)) return;
    files[name] = readFileSync(file, "utf8");
    if (!name.endsWith(".ts")) return;
    for (const [, types, wanted] of files[name].matchAll(
      /^(?:import|export)( type)?\b[^;]*?from "(\.[^"]+)"/gm,
    ))
      if (types === undefined) add(path.posix.join(path.posix.dirname(name), wanted));
  };
  add("kind.ts");
  for (const [, name] of files["kind.ts"].matchAll(/version\(\s*"([^"]+)"/g)) add(`${name}.yaml`);
  return files;
}

function pageOf({ script, worker, styles, examples }) {
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
<script type="application/json" id="examples">${inScript(JSON.stringify(examples))}</script>
<script type="text/plain" id="worker">${inScript(worker)}</script>
<script type="module">${inert(script)}</script>
</html>
`;
}

/** JSON or JavaScript that stands in an element \`script\`, which nothing in it may end. */
function inScript(text) {
  return text.replaceAll("<!--", "\\u003C!--").replaceAll(/<(?=\/?script)/gi, "\\u003C");
}

function inert(text) {
  if (/<!--|<\/?script/i.test(text)) throw new Error("the script of the page would end its own element");
  return text;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  await buildPage(path.resolve(process.argv[2] ?? path.join(root, "dist/play.html")));
