import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { expect, it } from "vitest";
import { actionlint, requireTool, toolLeftOut } from "../tools.ts";

const program = requireTool(actionlint);

if (program === undefined) it(toolLeftOut(actionlint), () => {});
else
  it("the linter of workflows finds no fault", () => {
    const workflows = globSync(".github/workflows/*.yml");
    expect(workflows.length).toBeGreaterThan(0);
    // Without the linter of shell scripts, which a machine may have or not.
    const { status, stdout, stderr } = spawnSync(program, ["-shellcheck=", ...workflows], {
      encoding: "utf8",
    });
    expect({ status, printed: stdout + stderr }).toEqual({ status: 0, printed: "" });
  });
