import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { instructions, readDockerfile, type Stage } from "./dockerfile.ts";

const dockerfile = readDockerfile("Dockerfile");
const stages = dockerfile.stages;
const last = stages.at(-1) as Stage;
const ignored = readFileSync(".dockerignore", "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"));

it("what builds is not what runs", () => {
  expect(stages.map(({ as }) => as)).toEqual(["build", undefined]);
});

it("both bases are arguments, so that others can stand in, and say by a digest what is pulled", () => {
  expect(stages.map(({ base }) => base.replace(/^\$\{(\w+)\}$/, "argument $1"))).toEqual([
    "argument BUILD_BASE",
    "argument BASE",
  ]);
  for (const named of Object.values(dockerfile.args))
    expect(named).toMatch(/^[\w./-]+:\d[\w.-]*@sha256:[0-9a-f]{64}$/);
});

it("it runs as a number that is not root", () => {
  const users = instructions(last, "USER");
  expect(users).toEqual(["65532:65532"]);
});

it("Node.js is the first process, no shell and no npm in between, and needs no flag", () => {
  const [entrypoint = ""] = instructions(last, "ENTRYPOINT");
  expect(JSON.parse(entrypoint)).toEqual(["node", `/app/${packageJson.bin.antechamber}`]);
  const [command = ""] = instructions(last, "CMD");
  expect(JSON.parse(command)).toEqual(["serve", "--cert-dir", "/tls"]);
});

it("the stage that runs does nothing but copy: its base need not have a shell", () => {
  const names = new Set(last.instructions.map(({ name }) => name));
  expect([...names].toSorted()).toEqual(["CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "USER", "WORKDIR"]);
});

it("everything that is copied is there, and is sent to the builder", () => {
  for (const source of stages.flatMap(copied)) {
    expect(existsSync(source), source).toBe(true);
    expect(ignored, source).toContain(`!${source.split("/")[0]}`);
  }
});

it("what the build reads is copied before it", () => {
  const sources = copied(stages[0] as Stage);
  const { include } = JSON.parse(readFileSync("tsconfig.build.json", "utf8"));
  for (const source of ["tsconfig.json", "tsconfig.build.json", "tools", ...include])
    expect(sources, source).toContain(source);
});

it("nothing secret is named, nor sent to the builder", () => {
  const words = stages.flatMap((stage) => [...instructions(stage, "ENV"), ...instructions(stage, "ARG")]);
  expect(words).toEqual(["NODE_ENV=production"]);
  expect(ignored[0]).toBe("*");
  for (const secret of ["**/*.key", "**/*.pem"]) expect(ignored.indexOf(secret)).toBeGreaterThan(0);
});

it("a stage is named by those that copy from it", () => {
  const from = stages
    .flatMap((stage) => instructions(stage, "COPY"))
    .flatMap((rest) => /--from=(\S+)/.exec(rest)?.[1] ?? []);
  expect(new Set(from)).toEqual(new Set(["build"]));
});

/** The sources of a stage's COPY lines that come from the checkout. */
function copied(stage: Stage): readonly string[] {
  return instructions(stage, "COPY")
    .filter((rest) => !rest.startsWith("--from"))
    .flatMap((rest) => rest.split(/\s+/).slice(0, -1))
    .map((source) => source.replace(/\/$/, ""));
}
