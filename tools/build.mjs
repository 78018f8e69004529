// Builds the package: TypeScript to dist/, and beside it what is read at run time.
import { execFileSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { writeNotices } from "./notices.mjs";

rmSync("dist", { recursive: true, force: true });
// No maps: they would point at sources that the package does not hold, and types are all that its lines have lost.
execFileSync("tsc", ["-p", "tsconfig.build.json", "--sourceMap", "false"], { stdio: "inherit" });
cpSync("webhooks", "dist/webhooks", { recursive: true, filter: (file) => !file.endsWith(".ts") });
writeNotices("dist");
