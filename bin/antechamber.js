#!/usr/bin/env node
// Plain JavaScript that any Node can read, so that an old one gets a sentence and not a syntax error.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const [major, minor] = process.versions.node.split(".").map(Number);
const isOld = major < 22 || (major === 22 && minor < 19);
// A package has only what was built; in a clone the sources run as they are, so that nothing is ever out of date.
const sources = new URL("../src/cli.ts", import.meta.url);
const isClone = existsSync(sources);
const pinned = fileURLToPath(new URL("../node_modules/.bin/node", import.meta.url));

if (isClone && !existsSync(new URL("../node_modules/commander", import.meta.url))) {
  console.error("antechamber: the dependencies are not installed; run npm ci first");
  process.exit(2);
} else if (isOld && isClone && existsSync(pinned)) runWith(pinned);
else if (isOld) {
  console.error(
    `antechamber needs Node.js 22.19 or newer; this is ${process.versions.node}. Install a newer one, such as with nvm install 24, or from https://nodejs.org/en/download`,
  );
  process.exit(2);
} else start();

function start() {
  import("node:module")
    .then(({ enableCompileCache }) => {
      // What was compiled is kept in a temporary folder, if there is one: every later start is quicker. Threads read the variable.
      const { directory } = enableCompileCache?.() ?? {};
      if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= directory;
      return import(isClone ? sources.href : "../dist/src/cli.js");
    })
    .then(({ main }) => main(process.argv));
}

/** Runs the same command line with another Node. A terminal sends Ctrl-C to both; other signals are passed on. */
async function runWith(node) {
  const { spawn } = await import("node:child_process");
  const child = spawn(node, process.argv.slice(1), { stdio: "inherit" });
  process.on("SIGINT", () => {});
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.once("error", (error) => {
    console.error(`antechamber: ${node} cannot be run: ${error.message}`);
    process.exit(3);
  });
  child.once("exit", (code) => process.exit(code ?? 3));
}
