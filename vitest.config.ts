import { availableParallelism } from "node:os";
import path from "node:path";
import { defineConfig } from "vitest/config";

// One seed for the order of tests and for what properties draw: SEED=… npm test repeats a run.
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
console.log(`seed ${seed}: SEED=${seed} npm test draws the same again`);

export default defineConfig({
  // What makes a kind of somebody else's find the engine is a hook of Node.js, which Vitest goes past.
  resolve: { alias: [{ find: /^antechamber$/, replacement: path.resolve("src/index.ts") }] },
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/left-out.ts"],
    setupFiles: ["test/seed.ts"],
    // Many tests start the command line as its users do: it need not be compiled for each anew.
    env: { SEED: String(seed), NODE_COMPILE_CACHE: path.resolve("node_modules/.cache/compiled") },
    sequence: { shuffle: true, seed },
    // Importing a module does nothing, so that files can share what was imported: a fifth of the time.
    isolate: false,
    // Much of the suite waits for other processes: on a small machine one file at a time would be idle.
    maxWorkers: Math.max(2, availableParallelism()),
    // A test that draws and shrinks objects takes some seconds, and ten times as long on a busy machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
