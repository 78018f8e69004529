import { registerHooks } from "node:module";
// Threads that a test starts get it by this.
import "./imports.ts";

// A test imports kinds without loading them as kinds: what they import as `antechamber` is this checkout's sources, as
// loadKinds provides them. package.json would lead to what was built.
const part = /^antechamber(\/apimachinery|\/go|\/json)?$/;

registerHooks({
  resolve: (specifier, context, next) => {
    const [found, folder = ""] = part.exec(specifier) ?? [];
    if (found === undefined) return next(specifier, context);
    return { url: new URL(`../../src${folder}/index.ts`, import.meta.url).href, shortCircuit: true };
  },
});
