import { findBinaries, leftOut } from "./binaries.ts";
import { findKruise, kruiseLeftOut } from "./kruise.ts";
import { findFunctions, functionsLeftOut } from "./kruise-functions.ts";
import { findPublished, publishedLeftOut } from "./published.ts";
import { actionlint, findTool, helm, promql, toolLeftOut } from "./tools.ts";
import { areTargetsBuilt, targetsLeftOut } from "./webhook-targets.ts";

/** Says once, before the first test, what this run leaves out. In CI the files concerned fail instead. */
export default function tell(): void {
  if (findBinaries() === undefined) process.stderr.write(`${leftOut}\n`);
  else if (findKruise() === undefined) process.stderr.write(`${kruiseLeftOut}\n`);
  else if (findFunctions() === undefined) process.stderr.write(`${functionsLeftOut}\n`);
  if (findBinaries() !== undefined && findPublished() === undefined)
    process.stderr.write(`${publishedLeftOut}\n`);
  for (const tool of [promql, helm, actionlint])
    if (findBinaries() !== undefined && findTool(tool) === undefined)
      process.stderr.write(`${toolLeftOut(tool)}\n`);
  if (findBinaries() !== undefined && !areTargetsBuilt()) process.stderr.write(`${targetsLeftOut}\n`);
}
