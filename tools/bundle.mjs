// Bundles the compiled modules of dist/ in place: a process that loads a dozen files starts in half the time of one that
// loads several hundred. Packages of node_modules stay outside, and so does the engine for the kinds: a kind imports
// `antechamber`, and gets the engine that loads it.
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { rolldown } from "rolldown";

const { exports } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

/** Every file that something names by its path: what package.json exports, what runs as a thread or process of its own. */
const entries = [
  ...Object.values(exports).map((each) => path.relative("dist", each.default)),
  "src/cli.js",
  "src/cli/supervisor.js",
  "src/cli/serve/review-thread.js",
  "src/cli/dev/service-thread.js",
  "src/cli/verify/worker.js",
];

/** Bundles the engine and the kinds of a folder that the compiler wrote. */
export async function bundle(folder) {
  const kinds = globSync("webhooks/**/kind.js", { cwd: folder });
  const written = [
    ...(await bundled(folder, entries, "src/chunks")),
    ...(await bundled(folder, kinds, "webhooks/chunks")),
  ];
  for (const file of globSync("{src,certs,webhooks}/**/*.js", { cwd: folder }))
    rmSync(path.join(folder, file));
  for (const { fileName, code } of written) {
    const file = path.join(folder, fileName);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, inAscii(code));
  }
}

async function bundled(folder, files, chunks) {
  // What a package that is taken in needs comes with it: it need not be installed where we are.
  const isOutside = (specifier, importer = "") =>
    !/^[./]/.test(specifier) &&
    !path.isAbsolute(specifier) &&
    !isTakenIn(specifier) &&
    !importer.includes("/node_modules/");
  const build = await rolldown({
    cwd: path.resolve(folder),
    input: Object.fromEntries(files.map((file) => [file.replace(/\.js$/, ""), `./${file}`])),
    external: isOutside,
    platform: "node",
    plugins: [ownLocation(path.resolve(folder))],
    // As an ES module, of which only what is used stays: for Node.js the package names its CommonJS form.
    resolve: { alias: { yaml: path.resolve("node_modules/yaml/browser/dist/index.js") } },
  });
  const { output } = await build.generate({
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: `${chunks}/[name]-[hash].js`,
  });
  await build.close();
  return output;
}

/** Packages of many small files that the start of a command would load one by one: yaml alone has 76. */
const takenIn = ["commander", "diff", "prom-client", "re2js", "yaml"];

function isTakenIn(specifier) {
  return takenIn.some((each) => specifier === each || specifier.startsWith(`${each}/`));
}

const marker = "__location_of__";

/** Lets a module find other files from where it was compiled to, wherever the bundle has put it. */
function ownLocation(root) {
  return {
    name: "own-location",
    transform(code, id) {
      const own = path.relative(root, id);
      return code.includes("import.meta.url")
        ? code.replaceAll("import.meta.url", `${marker}(${JSON.stringify(own)})`)
        : null;
    },
    renderChunk(code, { fileName }) {
      if (!code.includes(marker)) return null;
      const from = path.dirname(fileName);
      return code.replaceAll(new RegExp(`${marker}\\("([^"]+)"\\)`, "g"), (_, own) => {
        return `new URL(${JSON.stringify(`./${path.relative(from, own)}`)}, import.meta.url).href`;
      });
    },
  };
}

/** The same code in ASCII, by escapes. V8 holds a text with a single character beyond Latin-1 in two bytes a character. */
function inAscii(code) {
  return code.replaceAll(
    /[\u0080-\uffff]/g,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
