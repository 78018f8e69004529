import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Conditions,
  type EvolutionState,
  type Goal,
  leavingOf,
  next,
  type Step,
} from "../../src/cluster/lifecycle/next.ts";
import { after, planOf } from "../../src/cluster/lifecycle/plan.ts";
import { usageIn } from "../../src/cluster/lifecycle/usage.ts";

const all = ["v1", "v2", "v3"];
const conditions: Conditions = { unusedFor: 60_000, settle: 10_000, assume: [], allowLoss: false };

const at = { at: "the Service system/rooms" };

function loss(from: string, to: string): EvolutionState["losses"] {
  return from === to ? [] : [{ from, to, fields: ["spec.old"] }];
}

/** A cluster in any state that an API server admits. */
const clusters: fc.Arbitrary<EvolutionState> = fc
  .record({
    versions: fc.subarray(all, { minLength: 1 }),
    storageAt: fc.nat(2),
    moreStored: fc.subarray(all),
    unserved: fc.subarray(all),
    hasFailedMigration: fc.boolean(),
    conversion: fc.constantFrom<EvolutionState["conversion"]>(undefined, at, {
      ...at,
      fault: "it does not exist",
    }),
    isForeign: fc.boolean(),
    isLeftAlone: fc.boolean(),
    losses: fc.subarray(all).map((from) => from.flatMap((each) => all.flatMap((to) => loss(each, to)))),
    known: fc.array(fc.option(fc.subarray(all, { minLength: 1 }), { nil: undefined }), { maxLength: 3 }),
    changedAt: fc.option(fc.nat(20_000), { nil: undefined }),
  })
  .map(({ versions, storageAt, moreStored, unserved, conversion, known, changedAt, ...more }) => {
    const storage = versions[storageAt % versions.length] ?? "";
    const stored = versions.filter((version) => version === storage || moreStored.includes(version));
    return {
      crd: "rooms.example.org",
      versions,
      served: versions.filter((version) => !unserved.includes(version)),
      storage,
      storedVersions: stored,
      ...more,
      ...(conversion === undefined ? {} : { conversion }),
      webhooks: ["mutate.rooms.example.org"],
      defined: all,
      replicas: known.map((each, index) => ({
        name: `replica-${index}`,
        ...(each === undefined ? {} : { versions: each }),
      })),
      now: 20_000,
      ...(changedAt === undefined ? {} : { changedAt }),
    };
  });

const goals: fc.Arbitrary<Goal> = fc.oneof(
  fc.record({
    goal: fc.constantFrom("serve" as const, "store" as const, "retire" as const),
    version: fc.constantFrom(...all),
  }),
  fc.constant({ goal: "uninstall" as const }),
);

/** A kind of which all versions are served. */
const allServed: EvolutionState = {
  crd: "rooms.example.org",
  versions: all,
  served: all,
  storage: "v2",
  storedVersions: ["v2"],
  hasFailedMigration: false,
  conversion: at,
  losses: [],
  isForeign: false,
  isLeftAlone: false,
  webhooks: [],
  defined: all,
  replicas: [{ name: "replica", versions: all }],
  now: 20_000,
};

/** What clients do: how many requests a version has had, and how many objects have managedFields entries of it. */
interface Clients {
  readonly requests: number;
  readonly watches: number;
  readonly managed: number;
}

const clients: fc.Arbitrary<Clients> = fc.record({
  requests: fc.nat(3),
  watches: fc.nat(1),
  managed: fc.nat(2),
});

/** A world whose state is observed anew before each step, as a command does that is killed after each of its writes. */
class World {
  state: EvolutionState;
  readonly taken: Step[] = [];
  readonly recorded = new Map<string, NonNullable<NonNullable<EvolutionState["leaving"]>["recorded"]>>();
  readonly forgotten = new Set<string>();
  /** When the version last had a request. */
  usedAt = 20_000;
  clients: Clients;

  constructor(state: EvolutionState, first: Clients) {
    this.state = state;
    this.clients = first;
  }

  observed(goal: Goal): EvolutionState {
    const { leaving: _, ...rest } = this.state;
    const version = leavingOf(goal, rest);
    if (version === undefined) return rest;
    const { requests, watches, managed } = this.clients;
    const recorded = this.recorded.get(version);
    const leaving = {
      version,
      usage: { start: "1", requests, watches },
      managed: this.forgotten.has(version) ? 0 : managed,
      managers: [],
      apiServers: 1,
      ...(recorded === undefined ? {} : { recorded }),
    };
    return { ...rest, leaving };
  }

  use(requests: number, watches: number): void {
    if (requests > 0 || watches > 0 || this.clients.watches > 0) this.usedAt = this.state.now;
    // A watch is counted when it ends.
    const ended = Math.max(0, this.clients.watches - watches);
    this.clients = { ...this.clients, requests: this.clients.requests + requests + ended, watches };
  }

  pass(milliseconds: number): void {
    if (this.clients.watches > 0) this.usedAt = this.state.now + milliseconds;
    this.state = { ...this.state, now: this.state.now + milliseconds };
  }

  /** Takes a step if it is safe, which every step is to be. */
  take(step: Step): void {
    const { state } = this;
    const unsafe = unsafeIn(step, this);
    if (unsafe !== undefined)
      throw new Error(`${JSON.stringify(step)} in ${JSON.stringify(state)}: ${unsafe}`);
    this.taken.push(step);
    if (step.step === "record") this.recorded.set(step.version, step);
    if (step.step === "forget") this.forgotten.add(step.version);
    this.state = after(step, state);
  }
}

/** What an API server would reject, or what would fail calls or lose data. */
function unsafeIn(step: Step, { state, clients: { managed }, forgotten, usedAt }: World): string | undefined {
  const { versions, served, storage, storedVersions, replicas, now, changedAt, conversion, losses } = state;
  const isLost = (to: readonly string[]) =>
    losses.some((each) => storedVersions.includes(each.from) && to.includes(each.to));
  if (conversion?.fault !== undefined && !step.step.startsWith("remove")) return "nothing converts";
  const isSettled = changedAt === undefined || now >= changedAt + conditions.settle;
  const converts = (needed: readonly string[]) =>
    (state.isForeign && conversion === undefined) ||
    (replicas.length > 0 &&
      !state.isForeign &&
      replicas.every((each) => needed.every((version) => each.versions?.includes(version))));
  switch (step.step) {
    case "add":
    case "serve":
      if (conversion === undefined && step.step === "add") return "no webhook would convert";
      return converts([...versions, step.version]) ? undefined : "a replica cannot convert";
    case "store":
      if (!served.includes(step.version)) return "clients could not read what is stored without conversion";
      if (!isSettled) return "an API server may not know the version";
      if (conversion === undefined && isLost([step.version])) return "new writes may lose what is stored";
      return converts(versions) ? undefined : "a replica cannot convert";
    case "rewrite":
      if (conversion === undefined && isLost([storage])) return "it deletes fields";
      return isSettled ? undefined : "an API server may still store in the version before";
    case "record":
      return undefined;
    case "stopServing":
      if (step.version === storage) return "it is stored";
      return now - usedAt >= conditions.unusedFor ? undefined : `it was used at ${usedAt}`;
    case "forget":
      return isSettled && !served.includes(step.version) ? undefined : "writes add entries again";
    case "remove":
      if (storedVersions.includes(step.version) || state.hasFailedMigration)
        return "objects are stored in it";
      if (served.includes(step.version) || !isSettled) return "it is served";
      return managed === 0 || forgotten.has(step.version) ? undefined : "objects have managedFields of it";
    case "removeWebhooks":
    case "removeConversion":
      if (conversion?.fault !== undefined)
        return isLost([...served, storage]) ? "clients would no longer see fields" : undefined;
      return versions.length === 1 && !state.hasFailedMigration ? undefined : "versions are converted";
  }
}

function isReached(
  goal: Goal,
  { versions, served, storage, storedVersions, hasFailedMigration, ...state }: EvolutionState,
): boolean {
  switch (goal.goal) {
    case "serve":
      return served.includes(goal.version);
    case "store":
      if (hasFailedMigration) return false;
      return storage === goal.version && storedVersions.join() === storage && served.includes(storage);
    case "retire":
      return !versions.includes(goal.version);
    case "uninstall":
      return state.webhooks.length === 0 && state.conversion === undefined;
  }
}

const claim = { numRuns: 2_000 };

describe("the next step of a version's life", () => {
  it("is safe, whatever clients do in between, and is never missing before the goal", () => {
    const acts = fc.array(fc.record({ requests: fc.nat(1), watches: fc.nat(1), pass: fc.nat(40_000) }), {
      maxLength: 20,
    });
    const property = fc.property(clusters, goals, clients, acts, (start, goal, first, deeds) => {
      const world = new World(start, first);
      for (const { requests, watches, pass } of deeds) {
        const decision = next(goal, world.observed(goal), conditions);
        if (decision.decision === "done") {
          expect(isReached(goal, world.state)).toBe(true);
          return;
        }
        if (decision.decision === "take") world.take(decision.step);
        world.use(requests, watches);
        world.pass(pass);
      }
    });
    fc.assert(property, claim);
  });

  it("leads to the goal in few steps if the replicas know all versions and clients leave", () => {
    const ready = clusters.map((state) => ({
      ...state,
      conversion: at,
      isForeign: false,
      replicas: [{ name: "replica", versions: all }],
    }));
    const property = fc.property(ready, goals, clients, (start, goal, first) => {
      const world = new World(start, { ...first, watches: 0 });
      for (let turns = 0; turns < 40; turns++) {
        const decision = next(goal, world.observed(goal), conditions);
        if (decision.decision === "done") {
          expect(isReached(goal, world.state)).toBe(true);
          return;
        }
        if (decision.decision === "take") world.take(decision.step);
        else if (decision.decision === "wait") world.pass(decision.milliseconds);
        else if (/storage version|only version/.test(decision.reason)) {
          expect(goal.goal === "retire" && goal.version === start.storage).toBe(true);
          return;
        } else world.pass(conditions.unusedFor);
      }
      throw new Error(`never ends: ${JSON.stringify(world.taken)}`);
    });
    fc.assert(property, claim);
  });

  it("can be undone: a retired version is served again, and the storage version is as before", () => {
    const property = fc.property(goals, clients, (goal, first) => {
      if (goal.goal === "uninstall" || goal.goal === "serve") return;
      if (goal.goal === "retire" && goal.version === "v2") return;
      const world = new World(allServed, { ...first, watches: 0 });
      reach(world, goal);
      reach(
        world,
        goal.goal === "store" ? { goal: "store", version: "v2" } : { goal: "serve", version: goal.version },
      );
      const { versions, served, storage, storedVersions } = world.state;
      expect({ versions: versions.toSorted(), served: served.toSorted(), storage, storedVersions }).toEqual({
        versions: all,
        served: all,
        storage: "v2",
        storedVersions: ["v2"],
      });
    });
    fc.assert(property, { ...claim, numRuns: 100 });
  });

  it("after the first look at a version is a second one, some time later, whatever the operator demands", () => {
    const unusedFor = fc.nat(100_000);
    const property = fc.property(unusedFor, fc.nat(20_000), fc.boolean(), (unusedFor, passed, isUsed) => {
      const demanded = { ...conditions, unusedFor };
      const retire: Goal = { goal: "retire", version: "v1" };
      const world = new World(allServed, { requests: 5, watches: 0, managed: 0 });
      const first = next(retire, world.observed(retire), demanded);
      if (first.decision !== "take") throw new Error(JSON.stringify(first));
      expect(first.step.step).toBe("record");
      world.take(first.step);
      world.pass(passed);
      if (isUsed) world.use(1, 0);
      const second = next(retire, world.observed(retire), demanded);
      const has = (milliseconds: number) => passed >= milliseconds;
      if (isUsed) expect(second).toMatchObject({ step: { step: "record" } });
      else if (!has(demanded.settle)) expect(second.decision).toBe("wait");
      else if (!has(unusedFor)) expect(second.decision).toBe("blocked");
      else expect(second).toMatchObject({ step: { step: "stopServing" } });
    });
    fc.assert(property, claim);
  });

  it("is a new record where the noted time is one that is yet to come", () => {
    const retire: Goal = { goal: "retire", version: "v1" };
    const world = new World(allServed, { requests: 5, watches: 0, managed: 0 });
    const usage = { start: "1", requests: 5, watches: 0 };
    world.recorded.set("v1", { usage, since: world.state.now + conditions.settle + 1 });
    expect(next(retire, world.observed(retire), conditions)).toMatchObject({ step: { step: "record" } });
  });

  it("leads out of a CRD whose webhook is gone only if nothing can get lost, or that is allowed", () => {
    const conversion = { ...at, fault: "it does not exist" };
    const gone = { ...allServed, conversion, webhooks: ["validate.rooms.example.org"], served: ["v1", "v2"] };
    const out = (state: EvolutionState, allowLoss: boolean) =>
      planOf({ goal: "uninstall" }, state, { ...conditions, allowLoss });
    const free = { steps: [{ step: "removeWebhooks" }, { step: "removeConversion" }] };
    expect(out(gone, false)).toEqual(free);
    // No client could see them at v1 any more, or keep them.
    const losing = { ...gone, losses: loss("v2", "v1") };
    expect(out(losing, false)).toEqual({
      steps: [],
      blocked: expect.stringContaining("Clients could delete v2 spec.old (not in v1). Pass --allow-loss"),
    });
    expect(out(losing, true)).toEqual(free);
    // What is stored as v1 and lacks a place in v2 is kept by writes at v1.
    const older = { ...gone, storedVersions: ["v1", "v2"], losses: loss("v1", "v2") };
    expect(out(older, true)).toEqual({ steps: [{ step: "store", version: "v1" }, ...free.steps] });
    expect(next({ goal: "retire", version: "v1" }, gone, conditions)).toMatchObject({
      decision: "blocked",
      reason: expect.stringContaining("does not answer: it does not exist"),
    });
  });

  it("is not to wait for clients of a version whose fields would then get lost", () => {
    const { conversion: _, ...unconverted } = { ...allServed, storedVersions: ["v1", "v2"] };
    const losing = { ...unconverted, losses: loss("v1", "v2") };
    const world = new World(losing, { requests: 5, watches: 0, managed: 0 });
    const retire: Goal = { goal: "retire", version: "v1" };
    expect(next(retire, world.observed(retire), { ...conditions, allowLoss: false })).toMatchObject({
      decision: "blocked",
      reason: expect.stringContaining("lose v1 spec.old (not in v2)"),
    });
  });

  it("is the first one of the plan", () => {
    const property = fc.property(clusters, goals, clients, (start, goal, first) => {
      const state = new World(start, first).observed(goal);
      const decision = next(goal, state, conditions);
      const { steps, blocked } = planOf(goal, state, conditions);
      if (decision.decision === "take") expect(steps[0]).toEqual(decision.step);
      if (decision.decision === "blocked")
        expect({ steps, blocked }).toEqual({ steps: [], blocked: decision.reason });
    });
    fc.assert(property, claim);
  });
});

function reach(world: World, goal: Goal): void {
  for (let turns = 0; turns < 40; turns++) {
    const decision = next(goal, world.observed(goal), conditions);
    if (decision.decision === "done") return;
    if (decision.decision === "take") world.take(decision.step);
    else world.pass(conditions.unusedFor);
  }
  throw new Error(`${JSON.stringify(goal)} is never reached`);
}

it("the use of a version is what the API server counts of it, and of no other", () => {
  const metrics = [
    "# TYPE apiserver_request_total counter",
    'apiserver_request_total{code="200",component="apiserver",dry_run="",group="example.org",resource="rooms",scope="resource",subresource="",verb="GET",version="v1"} 3',
    'apiserver_request_total{code="200",component="apiserver",dry_run="",group="example.org",resource="rooms",scope="namespace",subresource="",verb="WATCH",version="v1"} 1e+01',
    'apiserver_request_total{code="200",component="apiserver",dry_run="",group="example.org",resource="rooms",scope="resource",subresource="",verb="GET",version="v1beta1"} 7',
    'apiserver_request_total{code="200",component="apiserver",dry_run="",group="other.org",resource="rooms",scope="resource",subresource="",verb="GET",version="v1"} 5',
    'apiserver_longrunning_requests{component="apiserver",group="example.org",resource="rooms",scope="namespace",subresource="",verb="WATCH",version="v1"} 2',
    "process_start_time_seconds 1.79e+09",
  ].join("\n");
  expect(usageIn(metrics, { group: "example.org", plural: "rooms", version: "v1" })).toEqual({
    start: "1.79e+09",
    requests: 13,
    watches: 2,
  });
});
