import type { Connection } from "../../cluster/api/connection.ts";
import { dryRunOf } from "../../cluster/api/requests.ts";
import { type Assumption, type Goal, next, type Step, usedMeanwhile } from "../../cluster/lifecycle/next.ts";
import { type EvolvedKind, type Observation, observe } from "../../cluster/lifecycle/observe.ts";
import { planOf } from "../../cluster/lifecycle/plan.ts";
import { takeStep } from "../../cluster/lifecycle/take.ts";
import { RejectedError, UsageError } from "../../errors.ts";
import { isObject, listAt } from "../../json/json.ts";
import type { Kind } from "../../kind/kind.ts";
import { crdName, crdOf } from "../../manifests/crd.ts";
import { durationText, timeText } from "../../time.ts";
import { readAuditLogs } from "../audit-log.ts";
import { crdNames, kindsIfAny } from "../crd-names.ts";
import { installationName, rejectTakeover } from "../installation.ts";
import { type MigrateIo, progressOf } from "../migrate/run.ts";
import { serviceOf } from "../service-option.ts";
import { asUsage, withCluster } from "../with-cluster.ts";

/** The options that `antechamber evolve` and `antechamber uninstall` share. */
interface EvolutionOptions {
  readonly webhooks: readonly string[];
  readonly kubeconfig?: string;
  /** Name of the installation; by default that of the kinds' project. */
  readonly name?: string;
  /** `namespace/name` of the Service of the replicas. */
  readonly service: string;
  /** Milliseconds. */
  readonly unusedFor: number;
  /** Milliseconds. */
  readonly settle: number;
  readonly assume: readonly Assumption[];
  readonly allowLoss: boolean;
  /** Whether the steps are printed, and the first one is sent as a dry run. */
  readonly dryRun: boolean;
  readonly pageSize: number;
  /** Files of audit logs; none if the metrics alone are asked. */
  readonly auditLog: readonly string[];
}

/** The options of `antechamber evolve`: at most one of the three. */
interface EvolveOptions extends EvolutionOptions {
  readonly serve?: string;
  readonly storage?: string;
  readonly retire?: string;
}

/** `plan` writes nothing. */
type EvolveAction = "run" | "plan";

/**
 * Takes the steps towards a goal for one kind until it is reached. Throws RejectedError with the reason if a step would be
 * unsafe.
 */
export async function evolve(
  word: string,
  action: EvolveAction,
  options: EvolveOptions,
  io: MigrateIo,
): Promise<void> {
  await withKind(word, options, io, (kind, defined) => goalsOf(kind, defined, options), action);
}

/** Removes a kind's older versions, webhooks and conversion; its objects stay. Throws RejectedError. */
export async function uninstall(
  word: string,
  action: EvolveAction,
  options: EvolutionOptions,
  io: MigrateIo,
): Promise<void> {
  await withKind(word, options, io, () => [{ goal: "uninstall" }], action);
}

async function withKind(
  word: string,
  options: EvolutionOptions,
  io: MigrateIo,
  goalsFor: (crd: string, kind: Kind | undefined) => readonly Goal[],
  action: EvolveAction,
): Promise<void> {
  const { all } = await kindsIfAny(options.webhooks);
  const installation = await installationName(options.name, options.webhooks);
  const service = serviceOf(options.service);
  await withCluster(options.kubeconfig, io, async ({ connection, now }) => {
    const [crd = ""] = await crdNames([word], all, connection);
    const defined = all.find((kind) => crdName(kind) === crd);
    const goals = goalsFor(crd, defined);
    await rejectForeign(connection, crd, installation);
    const crdDefined = defined === undefined ? {} : crdOf(defined, { url: "https://localhost" });
    const entries = listAt(crdDefined, "spec", "versions").filter(isObject);
    const { pageSize, auditLog, assume } = options;
    const isWebhookGone = assume.includes("webhook-gone");
    const audit = (await readAuditLogs(auditLog, [crd])).get(crd);
    const audited = audit === undefined ? {} : { audit };
    const kind = {
      connection,
      crd,
      entries,
      installation,
      service,
      now,
      pageSize,
      isWebhookGone,
      ...audited,
    };
    for (const goal of goals) {
      const work = action === "plan" || options.dryRun ? printPlan : reach;
      await work(goal, kind, options, io);
    }
  });
}

async function rejectForeign(connection: Connection, crd: string, installation: string): Promise<void> {
  const document = { kind: "CustomResourceDefinition", metadata: { name: crd } };
  await rejectTakeover(connection, [document], installation).catch(asUsage);
}

/** Without an option, that every version that the folder serves is served. */
function goalsOf(
  crd: string,
  kind: Kind | undefined,
  { serve, storage, retire }: EvolveOptions,
): readonly Goal[] {
  const given: readonly Goal[] = [
    ...(serve === undefined ? [] : [{ goal: "serve" as const, version: serve }]),
    ...(storage === undefined ? [] : [{ goal: "store" as const, version: storage }]),
    ...(retire === undefined ? [] : [{ goal: "retire" as const, version: retire }]),
  ];
  if (given.length > 1)
    throw new UsageError(`${crd}: --serve, --storage and --retire are separate changes; give one of them`);
  if (given.length === 1) return given;
  if (kind === undefined)
    throw new UsageError(
      `${crd}: no folder of --webhooks defines this kind, so say what is to change: --serve, --storage or --retire with a version of the CRD`,
    );
  return kind.versions
    .filter(({ served }) => served)
    .map(({ name }) => ({ goal: "serve" as const, version: name }));
}

async function observed(kind: EvolvedKind, goal: Goal): Promise<Observation> {
  const found = await observe(kind, goal).catch(asUsage);
  if (found !== undefined) return found;
  throw new UsageError(
    `${kind.crd}: no such CRD in ${kind.connection.server}${kind.entries.length === 0 ? "" : "; apply what antechamber manifests prints first"}`,
  );
}

async function printPlan(
  goal: Goal,
  kind: EvolvedKind,
  options: EvolutionOptions,
  io: MigrateIo,
): Promise<void> {
  const found = await observed(kind, goal);
  const { steps, blocked } = planOf(goal, found.state, options);
  const { crd, versions, served, storage, storedVersions, webhooks } = found.state;
  io.print(`${crd}: the aim: ${goalText(goal)}`);
  io.print(
    `  now: versions ${versions.join(", ")}; served ${served.join(", ")}; storage version ${storage}; storedVersions ${storedVersions.join(", ")}${webhooks.length === 0 ? "" : `; webhooks ${webhooks.join(", ")}`}`,
  );
  for (const [index, step] of steps.entries()) io.print(`  ${index + 1}. ${stepText(step)}`);
  if (blocked !== undefined) io.print(`  then blocked: ${blocked}`);
  else io.print(steps.length === 0 ? "  nothing to do" : "  then done");
  const [first] = steps;
  if (!options.dryRun || first === undefined) return;
  if (await take(first, { ...kind, connection: dryRunOf(kind.connection) }, found, io))
    io.print("  dry run of step 1: the API server would accept it; nothing was written");
}

/** A client that changes the CRD all the time would keep this command from ever ending. */
const maxStale = 20;

async function reach(goal: Goal, kind: EvolvedKind, options: EvolutionOptions, io: MigrateIo): Promise<void> {
  const recorded = new Set<string>();
  for (let stale = 0; stale < maxStale; ) {
    const found = await observed(kind, goal);
    if (io.interrupt.aborted) throw new RejectedError(`${kind.crd}: interrupted; run the same command again`);
    const decision = next(goal, found.state, options);
    switch (decision.decision) {
      case "done":
        return io.print(`${kind.crd}: done: ${goalText(goal)}`);
      case "blocked":
        throw new RejectedError(`${kind.crd}: ${decision.reason}`);
      case "wait":
        io.note(`${kind.crd}: waiting ${durationText(decision.milliseconds)} ${decision.reason}`);
        await io.pause(decision.milliseconds, io.interrupt);
        break;
      case "take":
        rejectUse(decision.step, found, recorded);
        if (await take(decision.step, kind, found, io)) io.print(`${kind.crd}: ${stepText(decision.step)}`);
        else stale++;
    }
  }
  throw new RejectedError(`${kind.crd}: it keeps changing; run the same command again`);
}

/** Under constant use there would be a new number to record each time. */
function rejectUse(step: Step, { state: { crd, leaving } }: Observation, recorded: Set<string>): void {
  if (step.step !== "record") return;
  if (recorded.has(step.version) && leaving !== undefined)
    throw new RejectedError(`${crd}: ${usedMeanwhile(leaving)}`);
  recorded.add(step.version);
}

/** Whether the step was taken; otherwise another client changed the CRD meanwhile. */
async function take(step: Step, kind: EvolvedKind, found: Observation, io: MigrateIo): Promise<boolean> {
  const progress = progressOf(found.crd, io);
  const context = { pause: io.pause, signal: io.interrupt, progress };
  const taken = await takeStep(step, kind, found, context).catch(asUsage);
  if (typeof taken === "object") throw new RejectedError(taken.failure);
  return taken === "written";
}

function goalText(goal: Goal): string {
  switch (goal.goal) {
    case "serve":
      return `${goal.version} is served`;
    case "store":
      return `all objects are stored as ${goal.version}`;
    case "retire":
      return `${goal.version} is out of the CRD`;
    case "uninstall":
      return "no webhook refers to this kind";
  }
}

function stepText(step: Step): string {
  switch (step.step) {
    case "add":
      return `add ${step.version} to the CRD, served and not stored (undo: --retire ${step.version})`;
    case "serve":
      return `serve ${step.version} (undo: --retire ${step.version})`;
    case "store":
      return `store new writes as ${step.version} (undo: --storage with the version before)`;
    case "rewrite":
      return `rewrite all objects as ${step.version}, then trim storedVersions`;
    case "record":
      return `record that ${step.version} has had ${step.usage.requests} requests until ${timeText(step.since)}`;
    case "stopServing":
      return `stop serving ${step.version} (undo: --serve ${step.version})`;
    case "forget":
      return `remove the managedFields entries of ${step.version}`;
    case "remove":
      return `remove ${step.version} from the CRD (undo: --serve ${step.version})`;
    case "removeWebhooks":
      return "remove the webhooks of the kind from the webhook configurations (undo: apply again what installed them)";
    case "removeConversion":
      return "remove the conversion webhook from the CRD (undo: apply again what installed it)";
  }
}
