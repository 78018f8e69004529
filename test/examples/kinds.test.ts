import { expect, it } from "vitest";
import { antechamber } from "../support/cli.ts";

it("all cases of the kinds in examples/ hold", async () => {
  const { code, stdout } = await antechamber(["test", "examples"]);
  expect(stdout).not.toContain("FAILED");
  expect(code).toBe(0);
});
