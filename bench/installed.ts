import { cpSync, existsSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** The built package, as it is installed. */
export interface Installed {
  /** To be removed at the end. */
  readonly folder: string;
  readonly bin: string;
  readonly webhooks: string;
}

/** Copies the built package of a checkout to a folder of its own: in a clone, its sources would run. */
export function installed(checkout = "."): Installed {
  const from = (name: string) => path.resolve(checkout, name);
  if (!existsSync(from("dist/src/cli.js")))
    throw new Error(`the package is not built in ${from("")}; run npm run build first`);
  const folder = mkdtempSync(path.join(tmpdir(), "antechamber-bench-"));
  for (const each of ["bin", "dist", "package.json"])
    cpSync(from(each), path.join(folder, each), { recursive: true });
  symlinkSync(from("node_modules"), path.join(folder, "node_modules"));
  return {
    folder,
    bin: path.join(folder, "bin/antechamber.js"),
    webhooks: path.join(folder, "dist/webhooks"),
  };
}
