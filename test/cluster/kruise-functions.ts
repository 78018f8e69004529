import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseJson, writeJson } from "../../src/json/exact.ts";
import type { JsonObject } from "../../src/json/json.ts";
import { cacheFolder, type Environment, isContinuousIntegration } from "./binaries.ts";

/** What is left out where the program has not been built, and how to get it. */
export const functionsLeftOut =
  "comparisons with OpenKruise's functions are left out: run `npm run cluster:build` once (needs Go 1.26, takes minutes)";

/** Where the Go module of the program is. */
export const functionsSources = join(import.meta.dirname, "kruise-functions");

/** The program that asks OpenKruise's functions, in the folder that it is built into. */
export function builtFunctions(folder: string): string {
  return join(folder, "kruise-functions");
}

/** The program, if it was built from its sources as they are now. */
export function findFunctions(env: Environment = process.env): string | undefined {
  const program = builtFunctions(cacheFolder(env, functionsSources));
  return existsSync(program) ? program : undefined;
}

/** The same for a test file; in CI the program must have been built. */
export function requireFunctions(env: Environment = process.env): string | undefined {
  const found = findFunctions(env);
  if (found === undefined && isContinuousIntegration(env)) throw new Error(functionsLeftOut);
  return found;
}

/** Asks OpenKruise's functions; the answers are in the order of the questions. */
export async function askFunctions(
  program: string,
  questions: readonly JsonObject[],
): Promise<readonly JsonObject[]> {
  const child = spawn(program, [], { stdio: ["pipe", "pipe", "inherit"] });
  const answers: JsonObject[] = [];
  const lines = createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY });
  lines.on("line", (line) => answers.push(parseJson(line) as JsonObject));
  const ended = new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    lines.once("close", resolve);
  });
  child.stdin.end(questions.map((question) => `${writeJson(question)}\n`).join(""));
  await ended;
  if (answers.length !== questions.length) {
    throw new Error(`${answers.length} answers to ${questions.length} questions`);
  }
  return answers;
}
