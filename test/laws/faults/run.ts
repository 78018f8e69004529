import { parseArgs } from "node:util";
import { findingOf, findingWithout, readFaults } from "./fault.ts";

// Plants each fault into the engine, one at a time, and prints whether its law finds it. Exits with 1 if one is not found,
// or if the law finds something without it.
const { values } = parseArgs({ options: { only: { type: "string" }, help: { type: "boolean" } } });
if (values.help === true) {
  console.log(
    "npm run laws:faults [-- --only TEXT]: plants the faults of test/laws/faults/faults.yaml whose words have TEXT",
  );
} else {
  const faults = readFaults().filter(({ fault, law }) => law !== "" && fault.includes(values.only ?? ""));
  let missed = 0;
  for (const each of faults) {
    const isFound = (await findingWithout(each)) === undefined && (await findingOf(each)) !== undefined;
    if (!isFound) missed += 1;
    console.log(
      `${isFound ? "found " : "MISSED"}  ${each.law.padEnd(14)} ${each.kind.padEnd(10)} ${each.fault}`,
    );
  }
  console.log(`${faults.length - missed} of ${faults.length} found`);
  process.exitCode = missed > 0 ? 1 : 0;
}
