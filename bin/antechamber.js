#!/usr/bin/env node
// Plain JavaScript that any Node can read, so that an old one gets a sentence and not a syntax error.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(`antechamber needs Node.js 22.19 or newer; this is ${process.versions.node}`);
  process.exit(2);
}
import("node:module")
  .then(({ enableCompileCache }) => {
    // What was compiled is kept in a temporary folder, if there is one: every later start is quicker.
    enableCompileCache?.();
    return import("../dist/src/cli.js");
  })
  .then(({ main }) => main(process.argv));
