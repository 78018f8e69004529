import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { leftOut, requireBinaries } from "../binaries.ts";
import { type GuardedTarget, registerGuard, startGuard } from "../guarded.ts";
import { createNamespace, type Home } from "../home.ts";
import { type ApiServer, startApiServer } from "../server.ts";
import { haveTargets, type RunningTarget, startTarget, targetsLeftOut } from "../webhook-targets.ts";
import { type Action, chapters } from "./actions.ts";
import { type GuardedSide, guardedSides } from "./guarded-sides.ts";
import { claimOf, judge } from "./judgement.ts";
import { type Finding, tryOut } from "./trial.ts";

// What clients do, with kinds whose conversion is another project's own webhook behind the guard.

if (requireBinaries() === undefined) it(leftOut, () => {});
else if (!haveTargets()) it(targetsLeftOut, () => {});
else describe("what clients do with guarded kinds", claims);

function claims(): void {
  let server: ApiServer;
  const targets: RunningTarget[] = [];
  const guards: GuardedTarget[] = [];
  const found = new Map<string, Finding | Error>();
  const actions = chapters.flatMap((chapter) => chapter.actions);
  const keyOf = (side: GuardedSide, { name }: Action) => `${side.names.kind}: ${name}`;

  beforeAll(async () => {
    server = await startApiServer();
    for (const side of guardedSides) {
      const target = await startTarget(side.target);
      targets.push(target);
      const guard = await startGuard(
        target,
        [target.crd(side.names.plural)],
        ["--hub", side.hub, ...(side.options ?? [])],
      );
      guards.push(guard);
      await registerGuard(server, guard);
    }
    await createNamespace(server, "clients");
    const all = guardedSides.flatMap((side) => actions.map((action) => ({ side, action })));
    const waiting = all.entries();
    const worker = async () => {
      for (const [index, { side, action }] of waiting) {
        const service = guards[guardedSides.indexOf(side)]?.service;
        if (service === undefined) throw new Error(`no guard of ${side.names.kind}`);
        const home: Home = {
          ...server,
          service,
          createNamespace: (name) => createNamespace(server, name),
        };
        const finding = tryOut(home, "clients", `object-${index}`, side, action);
        found.set(keyOf(side, action), await finding.catch((error: Error) => error));
      }
    };
    await Promise.all([worker(), worker(), worker()]);
  }, 900_000);
  afterAll(async () => {
    await Promise.all(guards.map(({ stop }) => stop()));
    await Promise.all([server?.stop(), ...targets.map(({ stop }) => stop())]);
  });

  describe.each(guardedSides)("$names.kind at $client", (side) => {
    // One action applies what only the owner's version can say, by the main resource.
    const fitting = actions.filter(
      ({ name }) => side.own.path[0] !== "status" || !name.includes("the owner applies its own data"),
    );
    it.each(fitting.map((action) => [claimOf(action), action] as const))("%s", (_claim, action) => {
      const finding = found.get(keyOf(side, action));
      if (finding === undefined || finding instanceof Error) throw finding ?? new Error("not tried");
      if (side.demands !== undefined && action.name.startsWith("merge PATCH `status: null`: ")) {
        expect(finding.refused).toEqual([expect.stringMatching(side.demands)]);
        return;
      }
      const writesCarriers = action.writesCarriers === true;
      judge(action, { object: side.names.kind, instead: side.instead, writesCarriers }, finding);
    });
  });

  it("are asked, and are not by-passed", async () => {
    for (const { service } of guards) {
      const text = await (await fetch(`http://127.0.0.1:${service.opsPort}/metrics`)).text();
      expect(Number(/upstream_requests_total\{outcome="answered"\} (\d+)/.exec(text)?.[1])).toBeGreaterThan(
        100,
      );
    }
  });
}
