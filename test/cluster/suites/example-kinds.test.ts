import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { get } from "../../../src/json/json.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { type Home, startHome } from "../home.ts";
import { type ClientAt, subject } from "../subject.ts";
import { type Action, chapters } from "./actions.ts";
import { type ExampleSide, exampleSides } from "./example-sides.ts";
import { claimOf, judge } from "./judgement.ts";
import { untilServed } from "./served.ts";
import { type Finding, tryOut } from "./trial.ts";

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("the kinds of examples/, on a real API server,", claims);

interface Trial {
  readonly side: ExampleSide;
  readonly action: Action;
}

const actions = chapters.flatMap((chapter) => chapter.actions);
const trials: readonly Trial[] = exampleSides.flatMap((side) =>
  actions.filter(({ name }) => !side.lacks?.test(name)).map((action) => ({ side, action })),
);

function claims(): void {
  let home: Home;
  const found = new Map<Trial, Finding | Error>();

  beforeAll(async () => {
    home = await startHome(["webhooks/home", "examples"]);
    for (const { names, native, client } of exampleSides)
      await untilServed(home, { group: "", ...names }, [native, client]);
    await home.createNamespace("clients");
    const waiting = trials.entries();
    const worker = async () => {
      for (const [index, trial] of waiting) {
        const { side, action } = trial;
        const finding = tryOut(home, "clients", `object-${index}`, side, action);
        found.set(trial, await finding.catch((error: Error) => error));
      }
    };
    await Promise.all([worker(), worker(), worker(), worker()]);
  }, 600_000);
  afterAll(() => home?.stop());

  it.each(exampleSides.map((side) => [side.names.kind, side.native, side.client, side] as const))(
    "%s: what only %s says is kept when clients of %s write",
    (_kind, _native, _client, side) => {
      for (const trial of trials.filter((each) => each.side === side)) {
        const finding = found.get(trial);
        const object = `${side.names.kind} ${side.native}, ${claimOf(trial.action)}`;
        if (finding === undefined || finding instanceof Error)
          throw new Error(`${object}: ${finding?.message ?? "not tried"}`);
        const writesCarriers = trial.action.writesCarriers === true;
        judge(trial.action, { object, instead: side.instead, writesCarriers }, finding);
      }
    },
  );

  describe("a CafeDeployment in batches", () => {
    const names = { kind: "CafeDeployment", plural: "cafedeployments", group: "apps.cafe.cloud.alipay.com" };
    const confirm = (value: string) => [
      "annotate",
      "--overwrite",
      "OBJECT",
      `cafe.sofastack.io/upgrade-confirmed=${value}`,
    ];

    async function deployment(name: string, phase: string): Promise<{ old: ClientAt; now: ClientAt }> {
      const it = subject(home, names, "clients", name);
      const [old, now] = [it.at("v1alpha1"), it.at("v1")];
      const made = await now.create(now.file({ spec: { replicas: 6, updateStrategy: { partition: 4 } } }));
      expect(made, made.text).toMatchObject({ status: 201 });
      await report(old, phase);
      return { old, now };
    }

    async function report(client: ClientAt, phase: string): Promise<void> {
      const answer = await client.patchStatus({ status: { batch: { number: 1, phase } } });
      expect(answer, answer.text).toMatchObject({ status: 200 });
    }

    const confirmed = async (client: ClientAt) =>
      get(await client.get(), "spec", "updateStrategy", "confirmed");

    it("is confirmed by an annotation of v1alpha1 between batches, and not ahead", async () => {
      const { old, now } = await deployment("annotated", "Running");
      expect(await old.kubectl(confirm("true"))).toContain(
        "metadata.annotations[cafe.sofastack.io/upgrade-confirmed]: Forbidden: a batch is confirmed once it is done",
      );
      expect(await confirmed(now)).toBeUndefined();
      await report(old, "Waiting");
      expect(await old.kubectl(confirm("true"))).toContain("annotated");
      expect(await confirmed(now)).toBe(true);
      expect(await old.kubectl(confirm("false"))).toContain("not taken back before the next batch has begun");
      await report(old, "Running");
      expect(await old.kubectl(confirm("false"))).toContain("annotated");
      expect(await confirmed(now)).toBe(false);
    });

    it("is released by a lower partition of v1, between batches", async () => {
      const { now } = await deployment("parted", "Running");
      const part = (partition: number) => now.patch({ spec: { updateStrategy: { partition } } });
      const early = await part(2);
      expect(early.status).toBe(422);
      expect(early.text).toContain("the partition changes between two of them, and only to a lower one");
      await report(now, "Waiting");
      expect(await part(5)).toMatchObject({ status: 422 });
      expect(await part(2)).toMatchObject({ status: 200 });
    });
  });

  it("an InPlaceSet of v1alpha1 gets the readiness gate into its pods", async () => {
    const names = { kind: "InPlaceSet", plural: "inplacesets", group: "apps.cafe.cloud.alipay.com" };
    const old = subject(home, names, "clients", "gated").at("v1alpha1");
    const template = { spec: { containers: [{ name: "main", image: "shop" }] } };
    const made = await old.create(old.file({ spec: { replicas: 6, strategy: { partition: 2 }, template } }));
    expect(get(made.body, "spec", "template", "spec", "readinessGates")).toEqual([
      { conditionType: "cafe.sofastack.io/in-place-ready" },
    ]);
  });
}
