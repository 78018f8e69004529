import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";

/** What a page of docs/ has its reader do, in order. */
type Step =
  | { readonly do: "write"; readonly file: string; readonly content: string }
  | { readonly do: "run"; readonly commands: readonly string[]; readonly prints: string };

/** Does a command in its own way, such as one that needs a network, and returns what it prints. */
type Stand = (reader: PageReader) => string | Promise<string>;

/** Someone with a shell who follows a page. */
export class PageReader {
  /** Where the shell is now. */
  folder: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly #stands: ReadonlyMap<string, Stand>;

  constructor(folder: string, tools: readonly string[], stands: Readonly<Record<string, Stand>>) {
    this.folder = folder;
    this.#stands = new Map(Object.entries(stands));
    const { PATH = "", HOME, XDG_CACHE_HOME, KUBEBUILDER_ASSETS, NODE_COMPILE_CACHE } = process.env;
    const others = PATH.split(":").filter((each) => !each.includes("node_modules"));
    const paths = [path.dirname(process.execPath), ...tools, ...others].join(":");
    this.environment = { PATH: paths, HOME, XDG_CACHE_HOME, KUBEBUILDER_ASSETS, NODE_COMPILE_CACHE };
  }

  /** Follows a page to its end; returns how many commands it had. */
  async follow(page: string): Promise<number> {
    const steps = stepsOf(page);
    for (const step of steps) await this.#take(step);
    return steps.reduce((sum, step) => sum + (step.do === "run" ? step.commands.length : 0), 0);
  }

  async #take(step: Step): Promise<void> {
    if (step.do === "write") return this.#write(step.file, step.content);
    let printed = "";
    for (const command of step.commands) printed += await this.run(command);
    expect(printed).toContain(step.prints.trimEnd());
  }

  #write(name: string, content: string): void {
    const file = path.join(this.folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  /** Runs a line in the shell. Fails if it does not exit with 0. */
  async run(command: string): Promise<string> {
    const stand = this.#stands.get(command);
    const [word, first = "", ...rest] = command.split(" ");
    if (stand !== undefined) return await stand(this);
    if (word === "cd") this.folder = path.join(this.folder, first);
    else if (word === "export") this.#export([first, ...rest].join(" "));
    else return this.#shell(command);
    return "";
  }

  #export(assignment: string): void {
    const [name = "", value = ""] = assignment.split("=");
    this.environment[name] = value.replace("$PWD", this.folder);
  }

  #shell(command: string): string {
    const options = { cwd: this.folder, env: this.environment, encoding: "utf8" } as const;
    const ran = spawnSync("sh", ["-c", command], options);
    const printed = `${ran.stdout}${ran.stderr}`;
    expect(ran.status, `${command}\n${printed}`).toBe(0);
    return printed;
  }
}

/**
 * The steps of a page: a block whose sentence above ends with a file's name is that file, a `text` block is part of what the
 * commands before it print, and blocks without a language are for the eye.
 */
function stepsOf(page: string): readonly Step[] {
  const steps: Step[] = [];
  for (const [, name = "", language = "", content = ""] of readFileSync(page, "utf8").matchAll(block)) {
    const before = steps.at(-1);
    if (language === "sh") steps.push({ do: "run", commands: content.trim().split("\n"), prints: "" });
    else if (name !== "") steps.push({ do: "write", file: name, content });
    else if (language === "text" && before?.do === "run") steps.splice(-1, 1, { ...before, prints: content });
  }
  return steps;
}

const block = /(?:`(\S+)`:\n\n)?^```(\w*)\n([\s\S]*?)^```$/gm;
