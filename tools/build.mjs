// Builds the package: TypeScript to dist/, and beside it what is read at run time.
import { execFileSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";

rmSync("dist", { recursive: true, force: true });
execFileSync("tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit" });
cpSync("webhooks", "dist/webhooks", { recursive: true, filter: (file) => !file.endsWith(".ts") });
