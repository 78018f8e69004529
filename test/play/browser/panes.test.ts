import { expect, it } from "vitest";
import { describeInChromium, replace, settled, textOf } from "./chromium.ts";

describeInChromium("versions side by side", (open) => {
  it("show at each version what the engine converts, without asking anything of anyone", async () => {
    const { page, requests, errors } = await open();
    await settled(page);
    expect(await textOf(page, "v1beta1")).toContain("lights:\n  - kitchen-island\n  - cellar-bulb\n");
    expect(requests).toEqual([]);
    expect(errors).toEqual([]);
  });

  it("follow what is written in one of them, and nothing is lost", async () => {
    const { page } = await open();
    await settled(page);
    await replace(page, "v1beta1", "floor: 0", "floor: 3");
    const newest = await textOf(page, "v1");
    expect(newest).toContain("floor: 3\n");
    expect(newest).toContain("building: Main house\n");
    expect(newest).toContain("kelvin: 2700\n");
  });
});
