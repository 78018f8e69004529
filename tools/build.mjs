// Builds the package: TypeScript to dist/, and beside it what is read at run time.
import { execFileSync } from "node:child_process";
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { writeJson } from "../src/json/exact.ts";
import { recordChecked } from "../src/kind/checked.ts";
import { readYaml } from "../src/yaml/yaml.ts";
import { bundle } from "./bundle.mjs";
import { writeLicences, writeNotices } from "./notices.mjs";
import { buildPage } from "./play.mjs";

rmSync("dist", { recursive: true, force: true });
// No maps: they would point at sources that the package does not hold, and types are all that its lines have lost.
execFileSync("tsc", ["-p", "tsconfig.build.json", "--sourceMap", "false"], { stdio: "inherit" });
await bundle("dist");
cpSync("webhooks", "dist/webhooks", { recursive: true, filter: (file) => !file.endsWith(".ts") });
for (const file of globSync("src/**/*.yaml")) cpSync(file, `dist/${file}`);
writeAsJson("dist/webhooks");
await checkKinds("dist/webhooks");
writeNotices("dist");
writeLicences("dist/play-LICENSES.txt", await buildPage("dist/play.html"));

/** Rewrites YAML files of one document as JSON, which is YAML too and is read in a tenth of the time. */
function writeAsJson(folder) {
  for (const file of globSync(`${folder}/**/*.yaml`)) {
    const [document, ...others] = readYaml(readFileSync(file, "utf8"));
    if (document !== undefined && others.length === 0) writeFileSync(file, `${writeJson(document.value)}\n`);
  }
}

/** Checks the kinds as they are shipped, by the engine as it is shipped, so that no start has to. */
async function checkKinds(folder) {
  const { loadKinds } = await import("../dist/src/laws/index.js");
  await loadKinds([folder]);
  await recordChecked(folder);
}
