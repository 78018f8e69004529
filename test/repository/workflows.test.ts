import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { get, isArray, isObject, type Json } from "../../src/json/json.ts";
import { readYaml } from "../../src/yaml/yaml.ts";

const script = readFileSync(".ci/run", "utf8");
const stages = /^stages=\((.*)\)$/m.exec(script)?.[1]?.split(" ") ?? [];
const workflow = readYaml(readFileSync(".github/workflows/ci.yml", "utf8"))[0]?.value;
const all = get(workflow, "jobs");
const jobs = isObject(all) ? Object.values(all) : [];

it("the jobs of the workflow are the stages of .ci/run, each of which it defines", () => {
  expect(stages.length).toBeGreaterThan(5);
  expect(jobs.map((job) => get(job, "name"))).toEqual(stages);
  expect(jobs.map((job) => stepsOf(job).at(-1))).toEqual(
    stages.map((stage) => ({ run: `.ci/run ${stage}` })),
  );
  const defined = [...script.matchAll(/^stage-(\S+)\(\) \{$/gm)].map(([, name]) => name);
  expect(defined).toEqual(stages);
});

it("the stages run all projects that npm test runs", () => {
  const config = readFileSync("vitest.config.ts", "utf8");
  const projects = [...config.matchAll(/^ {6}project\("([^"]+)"/gm)].map(([, name]) => name);
  expect(projects.length).toBeGreaterThan(3);
  const run = [...script.matchAll(/(?:npm test -- --project|tests-of) (\S+)$/gm)].map(([, name]) => name);
  expect(run).toEqual(expect.arrayContaining(projects));
});

it("actions are pinned by digest", () => {
  const used = globSync(".github/workflows/*.yml").flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/uses: (.*)/g)].map(([, action = ""]) => action),
  );
  expect(used.length).toBeGreaterThan(10);
  expect(used.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
});

it("what is no stage is refused by name", () => {
  const { status, stderr } = spawnSync(".ci/run", ["units"], { encoding: "utf8" });
  expect(stderr).toContain(`units is no stage; the stages are: ${stages.join(" ")}`);
  expect(status).toBe(2);
});

function stepsOf(job: Json): readonly Json[] {
  const steps = get(job, "steps");
  return isArray(steps) ? steps : [];
}
