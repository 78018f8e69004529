import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

// Plants one fault: in one source file, as it is loaded, one text stands in the place of another.
const { file, replace, by } = JSON.parse(process.env.PLANTED_FAULT ?? "{}");
let isPlanted = false;
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.startsWith("file:") || !fileURLToPath(url).endsWith(`/src/${file}`)) return loaded;
    const source = String(loaded.source);
    if (source.split(replace).length !== 2)
      throw new Error(`src/${file} does not have exactly once: ${replace}`);
    isPlanted = true;
    return { ...loaded, source: source.replace(replace, () => by) };
  },
});
process.on("exit", () => {
  if (!isPlanted) process.exitCode = 3;
});
