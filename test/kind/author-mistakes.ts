import { execFile } from "node:child_process";
import { cp, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { isArray, isObject } from "../../src/json/json.ts";
import { editYaml } from "../../src/yaml/edit.ts";
import { readYaml } from "../../src/yaml/yaml.ts";

/** A mistake of an author of a kind, as a change to a good project. */
export interface Mistake {
  readonly mistake: string;
  readonly file: string;
  readonly replace: string;
  readonly with: string;
  /** Another replacement in the same file. */
  readonly also?: Pick<Mistake, "replace" | "with">;
  /** Whether the file is removed instead. */
  readonly remove?: boolean;
  /** What the file is named instead. */
  readonly rename?: string;
  /** The text of the file, which may be another one. */
  readonly write?: string;
  /** A folder that is copied instead, and where to. */
  readonly folder?: string;
  readonly copy?: string;
  /** As recorded. */
  readonly found?: "start" | "tsc";
  readonly message?: string;
}

export const folder = "test/cases/author-mistakes";

/** The mistakes of the case file. */
export async function readMistakes(): Promise<readonly Mistake[]> {
  const [document] = readYaml(await readFile(`${folder}/mistakes.yaml`, "utf8"));
  const list = document?.value as unknown;
  if (!Array.isArray(list) || !list.every(isObject))
    throw new Error("mistakes.yaml is not a list of mistakes");
  return list as unknown as readonly Mistake[];
}

/** Writes the good project with a mistake into a folder. */
export async function makeMistake(mistake: Mistake, target: string): Promise<void> {
  await cp(`${folder}/good`, target, { recursive: true });
  if (mistake.copy !== undefined) {
    return cp(path.join(target, mistake.folder ?? ""), path.join(target, mistake.copy), { recursive: true });
  }
  const file = path.join(target, mistake.file);
  if (mistake.remove === true) return rm(file);
  if (mistake.rename !== undefined) return rename(file, path.join(target, mistake.rename));
  if (mistake.write !== undefined) return writeFile(file, mistake.write);
  const text = await readFile(file, "utf8");
  const changes = [mistake, ...(mistake.also === undefined ? [] : [mistake.also])];
  const changed = changes.reduce((before, { replace, with: by }) => before.replace(replace, () => by), text);
  if (changed === text) throw new Error(`${mistake.mistake}: the project has no ${mistake.replace}`);
  await writeFile(file, changed);
}

/** What loading each folder prints, in a process of its own as users have it: the text of the error, empty for none. */
export async function startOf(folders: readonly string[]): Promise<readonly string[]> {
  const stdout = await outputOf(process.execPath, [path.resolve("test/support/load-folders.ts"), ...folders]);
  return JSON.parse(stdout) as readonly string[];
}

/** The messages of tsc for the projects in a folder, by the name of the project. */
export async function typeErrorsIn(root: string): Promise<ReadonlyMap<string, string>> {
  const compilerOptions = {
    paths: { antechamber: [path.resolve("src/index.ts")] },
    typeRoots: [path.resolve("node_modules/@types")],
  };
  const config = { extends: path.resolve("tsconfig.json"), compilerOptions, include: ["**/*.ts"] };
  await writeFile(path.join(root, "tsconfig.json"), JSON.stringify(config));
  const output = await outputOf(
    path.resolve("node_modules/.bin/tsc"),
    ["-p", root, "--pretty", "false"],
    root,
  );
  const messages = output.split(/\n(?=\S)/).map((each) => each.trimEnd());
  const found = messages.flatMap((each) => {
    const [, project = "", message = ""] = /^([^/]+)\/([\s\S]*)$/.exec(each) ?? [];
    return project === "" ? [] : [{ project, message }];
  });
  return new Map(
    [...Map.groupBy(found, ({ project }) => project)].map(([project, these]) => [
      project,
      these.map(({ message }) => message).join("\n"),
    ]),
  );
}

function outputOf(command: string, args: readonly string[], cwd?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      command,
      [...args],
      { maxBuffer: 16 * 1024 ** 2, ...(cwd === undefined ? {} : { cwd }) },
      (error, stdout, stderr) => {
        if (stdout === "" && error !== null) reject(new Error(`${command}: ${stderr}`));
        else resolve(stdout);
      },
    );
  });
}

/** The case file with what was found, the rest of its text as it is. */
export async function withFindings(
  found: readonly Pick<Required<Mistake>, "found" | "message">[],
): Promise<string> {
  const text = await readFile(`${folder}/mistakes.yaml`, "utf8");
  const [document] = readYaml(text);
  const list = document?.value;
  if (!isArray(list)) throw new Error("mistakes.yaml is not a list of mistakes");
  return editYaml(text, [list.map((each, index) => ({ ...(isObject(each) ? each : {}), ...found[index] }))]);
}

/** The page of the documentation that lists the mistakes with their messages. */
export function mistakesPage(mistakes: readonly Mistake[]): string {
  const title = { start: "Found at every start", tsc: "Found by tsc" };
  const sections = (["start", "tsc"] as const).map((by) => {
    const rows = mistakes.filter(({ found }) => found === by).map(rowOf);
    return [`## ${title[by]}`, "", ...introductions[by], "", "| mistake | message |", "|---|---|", ...rows];
  });
  return `${[...head, ...sections.flatMap((lines) => ["", ...lines])].join("\n")}\n`;
}

const head = [
  "# Mistakes in a kind's folder",
  "",
  "What an author of a kind can get wrong, and the message for it. The table is generated: a test makes each mistake in a copy of",
  "[a good project](../../test/cases/author-mistakes/good) and compares what is printed. A message of several lines is cut here.",
];

const introductions = {
  start: [
    "Every command that loads kinds prints these on standard error, all mistakes of all kinds at once, sorted by file and line,",
    "and exits with 2. An error in TypeScript or JavaScript is followed by the lines around it.",
  ],
  tsc: [
    "Run `npx tsc --noEmit` in your project: what a function returns for other values than those of the examples is known to the compiler alone.",
  ],
};

function rowOf({ mistake, message = "" }: Mistake): string {
  const lines = message.split("\n").filter((line) => !/^\s/.test(line));
  const shown = lines
    .slice(0, 2)
    .map((line) => `\`${short(line).replaceAll("|", "\\|").replaceAll("`", "'")}\``);
  return `| ${mistake} | ${shown.join("<br>")} |`;
}

function short(line: string): string {
  return line.length > 260 ? `${line.slice(0, 259)}…` : line;
}
