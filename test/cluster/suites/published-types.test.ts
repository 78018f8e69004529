import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { antechamber } from "../../support/cli.ts";
import { publishedLeftOut, requirePublished } from "../published.ts";
import { publishedKinds } from "../published-kinds.ts";

const crds = requirePublished();
if (crds === undefined) it(publishedLeftOut, () => {});
else {
  it("lenses of published kinds compile with the types of their large schemas, and a misspelt path does not", async () => {
    const made = await publishedKinds(crds);
    const types = ["manifests", "--types", "--webhooks", made.folder, "--out", join(made.folder, "out")];
    expect(await antechamber(types)).toMatchObject({ code: 0 });
    const lenses = await typedLenses();
    await writeFile(join(made.folder, "lenses.ts"), lenses);
    await writeFile(
      join(made.folder, "misspelt.ts"),
      lenses.replace("spec.topology.class", "spec.topology.clas"),
    );
    await writeFile(join(made.folder, "tsconfig.json"), JSON.stringify(configuration));
    const { stdout } = await compile(made.folder);
    await made.remove();
    const faults = stdout.split("\n").filter((line) => line.includes("error TS"));
    expect(faults).toEqual([expect.stringMatching(/misspelt\.ts.*"spec\.topology\.clas"/)]);
  }, 120_000);
}

/** The lenses of test/cases/published, each with the types of both versions. */
async function typedLenses(): Promise<string> {
  const source = await readFile(join(import.meta.dirname, "../../cases/published/cluster-api.ts"), "utf8");
  const kinds = ["Cluster", "ClusterClass", "Machine", "MachineDeployment"];
  return kinds.reduce((text, kind) => {
    const [older, newer] = [`${kind}V1beta1`, `${kind}V1beta2`];
    const name = kind.charAt(0).toLowerCase() + kind.slice(1);
    const folder = kind.replace(/(?<!^)[A-Z]/, (letter) => `-${letter}`).toLowerCase();
    const typed = text.replace(
      `export const ${name} = lens(`,
      `export const ${name} = lens<${older}, ${newer}>(`,
    );
    return `import type { ${older}, ${newer} } from "./published/${folder}/types.ts";\n${typed}`;
  }, source);
}

const root = join(import.meta.dirname, "../../..");

const configuration = {
  extends: join(root, "tsconfig.json"),
  files: ["lenses.ts", "misspelt.ts", join(root, "src/json/source.d.ts")],
  include: [],
  compilerOptions: {
    typeRoots: [join(root, "node_modules/@types")],
    paths: { antechamber: [join(root, "src/index.ts")] },
  },
};

async function compile(folder: string): Promise<{ readonly stdout: string }> {
  const run = promisify(execFile)(process.execPath, [
    join(root, "node_modules/typescript/bin/tsc"),
    "-p",
    folder,
  ]);
  return run.catch((failure: { readonly stdout: string }) => failure);
}
