import { existsSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder, type Environment, isContinuousIntegration } from "./binaries.ts";

/** A program of another project that judges what we generate. */
export interface Tool {
  readonly name: string;
  /** Its Go module. */
  readonly sources: string;
  /** The package of its main function. */
  readonly main: string;
  /** What the build says it is. */
  readonly what: string;
}

/** Prometheus' parser and engine, behind a small program. */
export const promql: Tool = {
  name: "promql",
  sources: join(import.meta.dirname, "promql"),
  main: ".",
  what: "Prometheus' parser and engine",
};

/** Helm. */
export const helm: Tool = {
  name: "helm",
  sources: join(import.meta.dirname, "helm"),
  main: "helm.sh/helm/v4/cmd/helm",
  what: "Helm",
};

/** The linter of workflows. */
export const actionlint: Tool = {
  name: "actionlint",
  sources: join(import.meta.dirname, "actionlint"),
  main: "github.com/rhysd/actionlint/cmd/actionlint",
  what: "the linter of workflows",
};

/** What is left out where a tool has not been built, and how to get it. */
export function toolLeftOut({ what }: Tool): string {
  return `tests with ${what} are left out: run \`npm run cluster:build\` once (needs Go 1.26, takes minutes)`;
}

/** The program of a tool, in the folder that it is built into. */
export function toolProgram(folder: string, { name }: Tool): string {
  return join(folder, name);
}

/** The program, if it was built from its sources as they are now. */
export function findTool(tool: Tool, env: Environment = process.env): string | undefined {
  const program = toolProgram(cacheFolder(env, tool.sources), tool);
  return existsSync(program) ? program : undefined;
}

/** The same for a test file; in CI the program must have been built. */
export function requireTool(tool: Tool, env: Environment = process.env): string | undefined {
  const program = findTool(tool, env);
  if (program === undefined && isContinuousIntegration(env)) throw new Error(toolLeftOut(tool));
  return program;
}
