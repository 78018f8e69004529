import { readFileSync } from "node:fs";

/** One instruction of a Dockerfile, its continued lines joined. */
export interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** What stands between two FROM lines. */
export interface Stage {
  readonly base: string;
  /** What later stages call it. */
  readonly as: string | undefined;
  readonly instructions: readonly Instruction[];
}

/** A Dockerfile: the defaults of its arguments before the first stage, and its stages in order. */
export interface Dockerfile {
  readonly args: Readonly<Record<string, string>>;
  readonly stages: readonly Stage[];
}

/** Reads a Dockerfile as far as ours goes: no heredocs, no other escape, no conditions. */
export function readDockerfile(file: string): Dockerfile {
  const lines = readFileSync(file, "utf8")
    .replace(/^\s*#.*\n/gm, "")
    .replace(/\\\n/g, " ")
    .split("\n");
  const args: [string, string][] = [];
  const stages: (Stage & { instructions: Instruction[] })[] = [];
  for (const line of lines.filter((each) => each.trim() !== "")) {
    const [, name = "", rest = ""] = /^\s*(\w+)\s+(.*?)\s*$/.exec(line) ?? [];
    const stage = stages.at(-1);
    if (name === "FROM") stages.push(stageOf(rest));
    else if (stage !== undefined) stage.instructions.push({ name, rest });
    else args.push(assignment(rest));
  }
  return { args: Object.fromEntries(args), stages };
}

/** The instructions with a name. */
export function instructions({ instructions: all }: Stage, name: string): readonly string[] {
  return all.filter((each) => each.name === name).map(({ rest }) => rest);
}

function stageOf(rest: string): Stage & { instructions: Instruction[] } {
  const [base = "", as] = rest.split(/\s+AS\s+/i);
  return { base, as, instructions: [] };
}

function assignment(rest: string): [string, string] {
  const at = rest.indexOf("=");
  return at === -1 ? [rest, ""] : [rest.slice(0, at), rest.slice(at + 1)];
}
