// Builds the page in which versions are seen side by side: one HTML file that asks nothing of any server. It holds the
// script, the styles, the engine as the text of a worker, and the kinds of the gallery as JSON.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { kindText } from "../src/draft/kind-text.ts";
import { filesOfKind, inScript, pageWith } from "../src/play/page-file.ts";

const root = path.resolve(import.meta.dirname, "..");
const page = path.join(root, "src/play/page");

/** The examples of the gallery, in order: the folder of each kind, the object to begin with, and what to look at. */
const gallery = [
  {
    id: "room",
    title: "Room",
    about:
      "v1beta1 has one brightness for all lights, v1 one for each. Change the floor at v1beta1: what only v1 can say comes back.",
    folder: "webhooks/home/room",
    at: "v1",
    object: "webhooks/home/room/examples/v1/kitchen.yaml",
  },
  {
    id: "light",
    title: "Light",
    about:
      "v1beta1 has whole percents, fades in seconds, and a colour in one word. Write level: 80 at v1beta1, then 81: v1 keeps its exact brightness only while v1beta1 means the same.",
    folder: "webhooks/home/light",
    at: "v1",
    object: "webhooks/home/light/examples/v1/living-room-floor.yaml",
  },
  {
    id: "person",
    title: "A full name, as in the textbook",
    about:
      "One field became two, and the lens guesses where the first name ends. Change the room at v1beta1: the first name is still Ida May. Change the full name: the guess holds.",
    folder: "examples/play/person",
    at: "v1",
    object: "examples/play/person/ida.yaml",
  },
  {
    id: "statefulset",
    title: "OpenKruise's StatefulSet",
    about:
      "v1alpha1 lacks fields of v1beta1. Change replicas at v1alpha1, and they come back. Switch to without carriers: that is what OpenKruise's own webhook loses.",
    folder: "webhooks/kruise/statefulset",
    // Its webhooks for admission are as large as all the other examples.
    definition: { group: "apps.kruise.io", kind: "StatefulSet", plural: "statefulsets", scope: "Namespaced" },
    versions: ["v1alpha1", "v1beta1"],
    at: "v1beta1",
    object: "webhooks/kruise/statefulset/examples/v1beta1/database.yaml",
  },
  {
    id: "pipeline",
    title: "A list without keys",
    about:
      "Steps have no names. Insert a step at v1alpha1, or move one: each cache and retry stays with the step that it belongs to.",
    folder: "examples/play/pipeline",
    at: "v1",
    object: "examples/play/pipeline/release.yaml",
  },
];

/** Writes the page to a file. */
export async function buildPage(file) {
  const [script, worker] = [await bundled("main.ts", "esm"), await bundled("worker.ts", "iife")];
  const styles = readFileSync(path.join(page, "page.css"), "utf8");
  const text = pageWith(pageOf({ script, worker, styles }), { examples: gallery.map(exampleOf) });
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
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

function exampleOf({ id, title, about, folder, at, object, definition, versions }) {
  const text = readFileSync(path.join(root, object), "utf8");
  const names = { categories: [], shortNames: [], ...definition };
  const files = filesOfKind(path.join(root, folder), definition && kindText(names, versions));
  return { id, title, about, at, text, files };
}

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
