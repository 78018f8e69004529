import { availableParallelism } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

// One seed for the order of tests and for what properties draw: SEED=… npm test repeats a run.
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
console.log(`seed ${seed}: SEED=${seed} npm test draws the same again`);

// Many tests start threads, or the command line as its users do: it need not be compiled for each anew. Threads take the
// cache of their process, and a process reads this as it starts: so that it is set before those of the tests are started.
process.env.NODE_COMPILE_CACHE = path.resolve("node_modules/.cache/compiled");

/** What lets a process find the sources faster. */
const imports = pathToFileURL("test/support/imports.ts").href;

/** Suites beside OpenKruise's manager, which takes the longest to build. */
const openKruise = ["test/cluster/suites/{beside-kruise,kruise-functions,kruise-untouched}.test.ts"];

/** What else needs what `npm run cluster:build` builds. */
const cluster = [
  "test/cluster/suites/**/*.test.ts",
  "test/cluster/harness.test.ts",
  "test/draft/published.test.ts",
];

/**
 * What users do in shells: with the package as it is built and installed, also in a cluster; what pages and the action tell them
 * to run, dozens of processes for 20 seconds.
 */
const built = ["test/deployment/{action,package}.test.ts", "test/repository/{import-page,pages}.test.ts"];

/** The page in a real Chromium. */
const browser = ["test/play/browser/*.test.ts"];

/** The suites in which the release of Kubernetes counts. */
const ofReleases = [
  "test/cluster/harness.test.ts",
  "test/cluster/suites/{cel,client-actions,evolve,facts,schemas,schemas-random}.test.ts",
  "test/cluster/suites/{static-webhooks,storage,storage-migration,validate}.test.ts",
];

/** On a busy machine, PATIENCE=5 npm test waits five times as long for each test. */
const patience = Number(process.env.PATIENCE ?? 1);
const usual = { testTimeout: 10_000 * patience, hookTimeout: 10_000 * patience };

/** Suites whose steps wait for other processes. */
const patient = { testTimeout: 60_000 * patience, hookTimeout: 60_000 * patience };

/** Another release is a project of its own only where it is named: `npm test` runs on the first one. */
function isAskedFor(name: string): boolean {
  return process.argv.includes(name) || process.argv.includes(`--project=${name}`);
}

type Options = NonNullable<TestProjectInlineConfiguration["test"]>;

function project(name: string, { env, sequence, ...options }: Options): TestProjectInlineConfiguration {
  return {
    extends: true,
    test: {
      name,
      setupFiles: ["test/support/seed.ts", "test/support/patient.ts"],
      // Node.js runs the sources as they are, for tests too. Vite would transform each file, and code that looks every import
      // up runs slower.
      experimental: { viteModuleRunner: false, nodeLoader: false },
      execArgv: ["--import", path.resolve("test/support/engine.ts")],
      env: { SEED: String(seed), ...env },
      // Importing a module does nothing, so that files can share what was imported: a fifth of the time.
      isolate: false,
      sequence: { shuffle: true, ...sequence },
      ...usual,
      // Vitest's own second is less than a page takes beside other work.
      expect: { poll: { timeout: 8_000 * patience } },
      ...options,
    },
  };
}

export default defineConfig({
  test: {
    // Much of the suite waits for other processes: on a small machine one file at a time would be idle.
    maxWorkers: Math.max(2, availableParallelism()),
    sequence: { seed },
    projects: [
      project("unit", {
        include: ["test/**/*.test.ts"],
        exclude: [...openKruise, ...cluster, ...built, ...browser],
        env: { NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --import=${imports}` },
      }),
      project("cluster", {
        include: cluster,
        exclude: openKruise,
        globalSetup: ["test/cluster/left-out.ts"],
        ...patient,
      }),
      project("openkruise", { include: openKruise, ...patient }),
      project("package", { include: built, ...patient }),
      project("browser", { include: browser, globalSetup: ["test/play/browser/build.ts"], ...patient }),
      ...(isAskedFor("cluster-1.37")
        ? [
            project("cluster-1.37", {
              include: ofReleases,
              ...patient,
              env: { KUBERNETES: "1.37", CLIENT_KIND: "Light" },
            }),
          ]
        : []),
    ],
  },
});
