import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { get, isArray, isObject } from "../../../src/json/json.ts";
import { readYaml } from "../../../src/yaml/yaml.ts";

/** A fault to plant into the engine, and a law that finds it. */
export interface PlantedFault {
  readonly fault: string;
  /** A file below `src/`, and which text in it stands in the place of which. */
  readonly file: string;
  readonly replace: string;
  readonly by: string;
  readonly law: string;
  readonly kind: string;
  readonly runs: number;
  readonly seed: number;
}

/** All planted faults. */
export function readFaults(): readonly PlantedFault[] {
  const [document] = readYaml(readFileSync(join(import.meta.dirname, "faults.yaml"), "utf8"));
  const list = document?.value;
  if (!isArray(list)) throw new Error("faults.yaml has no list");
  return list.map((each) => {
    if (!isObject(each)) throw new Error("faults.yaml has an entry that is not an object");
    const text = (name: string) => String(get(each, name) ?? "");
    const number = (name: string) => Number(get(each, name));
    return {
      fault: text("fault"),
      file: text("file"),
      replace: text("replace"),
      by: text("by"),
      law: text("law"),
      kind: text("kind"),
      runs: number("runs"),
      seed: number("seed"),
    };
  });
}

/** What a law finds where a fault is planted, in a process of its own; undefined if it finds nothing. */
export async function findingOf({
  law,
  kind,
  runs,
  seed,
  ...planted
}: PlantedFault): Promise<string | undefined> {
  const folder = import.meta.dirname;
  const args = [
    "--import",
    join(folder, "hooks.mjs"),
    join(folder, "check.ts"),
    kind,
    law,
    `${runs}`,
    `${seed}`,
  ];
  const env = { ...process.env, PLANTED_FAULT: JSON.stringify(planted) };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (data) => (stdout += data));
  child.stderr.on("data", (data) => (stderr += data));
  const code = await new Promise((resolve) => child.once("close", resolve));
  if (code === 0) return stdout.trim();
  if (code === 1 && stdout.trim() === "null") return undefined;
  throw new Error(`${planted.fault}: exit code ${code}\n${stderr}`);
}
