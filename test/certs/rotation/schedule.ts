import fc from "fast-check";
import type { RotationState } from "../../../certs/rotation.ts";
import { type Replica, World } from "./world.ts";

/** One thing that happens; the numbers choose among what there is at that time. */
export interface Happening {
  readonly what: (typeof ordinary)[number] | (typeof harmful)[number] | (typeof hostile)[number];
  readonly which: number;
  readonly how: number;
}

/** Requests, rounds, checks and time, in any order; processes that end and begin. */
const ordinary = [
  ...Array<"request">(12).fill("request"),
  ...Array<"round">(4).fill("round"),
  ...Array<"whole round">(4).fill("whole round"),
  ...Array<"whole check">(3).fill("whole check"),
  ...Array<"check">(2).fill("check"),
  ...Array<"sync">(3).fill("sync"),
  ...Array<"pass">(4).fill("pass"),
  ...Array<"turns">(3).fill("turns"),
  ...Array<"pass long">(2).fill("pass long"),
  "kill",
  "replace",
  "begin",
] as const;

/** What others do to a cluster, or its clock does, which no client may feel any longer than it lasts. */
const harmful = ["jump", "delete state", "strip", "delete target", "add target"] as const;

/** What makes a state wrong, or takes the reports away: calls may fail, but it ends. */
const hostile = ["damage state", "delete reports", "swap phase", "empty state"] as const;

/** Schedules of such happenings. */
export function schedules(kind: "ordinary" | "harmful" | "hostile"): fc.Arbitrary<readonly Happening[]> {
  const among = [
    ...ordinary,
    ...(kind === "ordinary" ? [] : harmful),
    ...(kind === "hostile" ? [...hostile, ...hostile] : []),
  ];
  const happening = fc.record({ what: fc.constantFrom(...among), which: fc.nat(99), how: fc.nat(99) });
  return fc.array(happening, { maxLength: 400, size: "max" });
}

/** Plays a schedule; resolves with the world and what failed in it. */
export async function play(
  schedule: readonly Happening[],
): Promise<{ world: World; failures: readonly string[] }> {
  const world = new World();
  for (const name of ["crd", "mutating"]) world.addTarget(name);
  for (const name of ["a", "b"]) world.start(name);
  const failures: string[] = [];
  for (const [index, happening] of schedule.entries()) {
    await happen(world, happening);
    world.observe();
    failures.push(...world.failures().map((failure) => `after ${index + 1} (${happening.what}): ${failure}`));
    if (failures.length > 0) break;
  }
  return { world, failures };
}

/** A stable world of two replicas, whose CA is due, and whose leaf is not: its renewal would come before each other step. */
export async function dueWorld(): Promise<World> {
  const world = new World();
  for (const name of ["crd", "mutating"]) world.addTarget(name);
  for (const name of ["a", "b"]) world.start(name);
  await settle(world);
  for (let turn = 0; turn < 10; turn++) {
    world.elapsed += world.settings.authorityLife / 15;
    await settle(world);
    await Promise.all(world.replicas.map((replica) => whole(replica, "checking")));
    const [leader] = world.replicas;
    if (leader !== undefined && turn < 9) await whole(leader, "rotating");
  }
  const { state } = world.secret ?? {};
  if (state?.authority === undefined) throw new Error("there is no CA after all");
  const leaf = await world.issuer.issueLeaf(state.authority, world.now());
  world.secret = { state: { ...state, leaf }, version: world.nextVersion() };
  await Promise.all(world.replicas.map((replica) => whole(replica, "checking")));
  return world;
}

/** Answers so many requests of a task of a replica, which it begins. */
export async function some(replica: Replica, task: "rotating" | "checking", count: number): Promise<void> {
  begin(replica, task);
  for (let request = 0; request < count; request++) {
    await drained();
    replica.pending[task].shift()?.();
  }
  await drained();
}

/** Lets one replica rotate and all serve, in a time that is as it should be, until all is well. Resolves with the failures. */
export async function settle(world: World): Promise<readonly string[]> {
  const failures: string[] = [];
  for (let turn = 0; turn < 400 && !world.isStable(); turn++) {
    for (const replica of world.replicas) {
      replica.cache = world.bundles();
      await whole(replica, "checking");
    }
    const [leader] = world.replicas;
    if (leader !== undefined) await whole(leader, "rotating");
    // A report of a replica that is gone counts until its leaf has expired.
    world.elapsed += turn < 200 ? 2_500 : 100_000;
    world.observe();
    failures.push(...world.failures());
  }
  return failures;
}

async function happen(world: World, { what, which, how }: Happening): Promise<void> {
  const replica = world.replicas[which % world.replicas.length];
  const target = [...world.targets.values()][how % Math.max(1, world.targets.size)];
  if (replica === undefined) return;
  if (what === "request") {
    const pending = replica.pending[how % 3 === 0 ? "checking" : "rotating"];
    const [next] = pending.splice(how % Math.max(1, pending.length), 1);
    next?.();
  } else if (what === "round") begin(replica, "rotating");
  else if (what === "check") begin(replica, "checking");
  else if (what === "whole round") await whole(replica, "rotating");
  else if (what === "whole check") await whole(replica, "checking");
  else if (what === "sync") replica.cache = world.bundles();
  else if (what === "pass") world.elapsed += [100, 1_000, 4_000, 11_000][how % 4] ?? 0;
  else if (what === "pass long") world.elapsed += how * 1_500;
  else if (what === "turns") await turns(world, replica, world.replicas[how % (world.replicas.length + 1)]);
  else if (what === "kill" || what === "replace") {
    world.kill(replica);
    world.start(what === "kill" ? replica.name : `${replica.name}'`.slice(-9) + String(world.nextVersion()));
  } else if (what === "begin" && world.replicas.length < 4) world.start(`more${world.nextVersion()}`);
  else if (what === "jump") world.jumped += [hour, -hour, year, -year, 20 * year, 60_000][how % 6] ?? 0;
  else if (what === "delete state") world.secret = undefined;
  else if (what === "strip" && target !== undefined) world.disturb(target, []);
  else if (what === "delete target" && target !== undefined) world.targets.delete(target.name);
  else if (what === "add target" && world.targets.size < 4) world.addTarget(`t${world.nextVersion()}`);
  else if (what === "delete reports") world.reports.clear();
  else if (world.secret !== undefined) edit(world, what, how);
  await drained();
}

/** One replica takes steps and time passes, while another one is stuck, or none. */
export async function turns(world: World, leader: Replica, stuck?: Replica, count = 8): Promise<void> {
  for (let turn = 0; turn < count; turn++) {
    if (leader !== stuck) await whole(leader, "rotating");
    for (const replica of world.replicas) {
      if (replica === stuck) continue;
      replica.cache = world.bundles();
      await whole(replica, "checking");
    }
    world.elapsed += 4_000;
  }
}

/** Edits the state as a user with an editor might. */
function edit(world: World, what: Happening["what"], how: number): void {
  const { state } = world.secret ?? {};
  if (state === undefined) return;
  const version = world.nextVersion();
  if (what === "empty state") world.secret = { version, state: { phase: "switch", trusted: [] } };
  if (what === "swap phase") {
    const phase = (["stable", "publish", "switch", "retire"] as const)[how % 4] ?? "stable";
    world.secret = { version, state: { ...state, phase } };
  }
  if (what === "damage state") {
    const keys = ["authority", "next", "leaf"] as const;
    const { [keys[how % 3] ?? "leaf"]: _, ...rest } = state;
    world.secret = { version, state: rest as RotationState };
  }
}

function begin(replica: Replica, task: "rotating" | "checking"): void {
  if (replica[task]) return;
  replica[task] = true;
  const end = () => {
    replica[task] = false;
  };
  void (task === "rotating" ? replica.rotator.advance().then(end, end) : replica.source.check().then(end));
}

/** Begins a task, if it has not, and answers its requests until it ends. */
export async function whole(replica: Replica, task: "rotating" | "checking"): Promise<void> {
  begin(replica, task);
  for (let turn = 0; replica[task] && turn < 200; turn++) {
    replica.pending[task].shift()?.();
    await drained();
  }
}

function drained(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const hour = 3_600_000;
const year = 365 * 24 * hour;
