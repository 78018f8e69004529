import { durationText, timeText } from "../../time.ts";
import type { CrdVersions } from "../api/crd-state.ts";
import { type AuditFacts, clientsText, usersSince } from "./audit.ts";
import { type ConversionWebhook, type Loss, lossText } from "./conversion.ts";
import { sameUse, type Usage } from "./usage.ts";

/** What the versions of a kind are to become. */
export type Goal =
  /** A version that the CRD has, and serves. */
  | { readonly goal: "serve"; readonly version: string }
  /** The version that all objects are stored in. */
  | { readonly goal: "store"; readonly version: string }
  /** A version that the CRD no longer has. */
  | { readonly goal: "retire"; readonly version: string }
  /** A CRD that refers to no webhook and to which no webhook refers; with one version, if a service converted the others. */
  | { readonly goal: "uninstall" };

/** The facts of a kind in a cluster that decide the next step. */
export interface EvolutionState extends CrdVersions {
  /** `rooms.home.antechamber.dev`. */
  readonly crd: string;
  /** The webhook that converts; undefined with the strategy None. */
  readonly conversion?: ConversionWebhook;
  /** What gets lost between two versions that nothing converts. */
  readonly losses: readonly Loss[];
  /** Whether neither a folder of kinds nor our Service has to do with the CRD. */
  readonly isForeign: boolean;
  /** Whether replicas leave the conversion of the CRD alone, by its annotation. */
  readonly isLeftAlone: boolean;
  /** The webhooks of this kind. */
  readonly webhooks: readonly string[];
  /** Versions that the project's folder of the kind defines. */
  readonly defined: readonly string[];
  /** What each replica says that it serves; `versions` is absent for a release that does not say. */
  readonly replicas: readonly { readonly name: string; readonly versions?: readonly string[] }[];
  /** Milliseconds since 1970, by the clock of the API server. */
  readonly now: number;
  /** When a client last changed the CRD, other than its status; absent if the server does not say. */
  readonly changedAt?: number;
  /** The version that is to go, if one is. */
  readonly leaving?: Leaving;
}

/** The facts of a version that is to be removed. */
export interface Leaving {
  readonly version: string;
  /** The use of the version, as the API server counts it now. */
  readonly usage: Usage;
  /** The use when it was last recorded, and since when it has been the same. */
  readonly recorded?: { readonly usage: Usage; readonly since: number };
  /** The number of objects with managedFields entries of the version. */
  readonly managed: number;
  /** The managers of these entries, the most recent first. */
  readonly managers: readonly string[];
  /** How many API servers there are; each counts its own requests. */
  readonly apiServers: number;
  /** What the audit logs of the API servers say, if the operator has them. */
  readonly audit?: AuditFacts;
}

/** The operator's conditions. */
export interface Conditions {
  /** How long no client may have used a version before it is no longer served, in milliseconds. */
  readonly unusedFor: number;
  /** Until every API server acts by a changed CRD, and until clients have shown whether they use a version, in milliseconds. */
  readonly settle: number;
  /** What the operator has checked by other means. */
  readonly assume: readonly Assumption[];
  /** Whether fields may get lost that a version has no place for, where nothing converts. */
  readonly allowLoss: boolean;
}

/**
 * `rolled-out`: every replica serves all versions; `unused`: no client uses the version that is to go; `webhook-gone`: the
 * conversion webhook answers no call, which cannot be seen while all objects are stored in one version.
 */
export type Assumption = "rolled-out" | "unused" | "webhook-gone";

/** One write, or for `rewrite` and `forget` one pass over all objects. Each may be repeated. */
export type Step =
  | { readonly step: "add" | "serve" | "store" | "stopServing" | "remove"; readonly version: string }
  /** Stores every object in the storage version, and trims `status.storedVersions`. */
  | { readonly step: "rewrite"; readonly version: string }
  /** Removes the managedFields entries of a version. */
  | { readonly step: "forget"; readonly version: string }
  /** Notes the use of a version in an annotation of the CRD. */
  | { readonly step: "record"; readonly version: string; readonly usage: Usage; readonly since: number }
  | { readonly step: "removeWebhooks" | "removeConversion" };

/** What to do now. */
export type Decision =
  | { readonly decision: "take"; readonly step: Step }
  | { readonly decision: "wait"; readonly milliseconds: number; readonly reason: string }
  | { readonly decision: "blocked"; readonly reason: string }
  | { readonly decision: "done" };

/** The next step towards a goal. It depends on nothing but its arguments, so an interrupted run goes on where it was. */
export function next(goal: Goal, state: EvolutionState, conditions: Conditions): Decision {
  const dead = deadEnd(state.crd, state);
  if (dead !== undefined && goal.goal !== "uninstall")
    return goal.goal === "serve" && state.served.includes(goal.version) ? done : blocked(dead);
  switch (goal.goal) {
    case "serve":
      return nextToServe(goal.version, state, conditions) ?? done;
    case "store":
      return nextToStore(goal.version, state, conditions) ?? done;
    case "retire":
      return nextToRetire(goal.version, state, conditions) ?? done;
    case "uninstall":
      return nextToUninstall(state, conditions) ?? done;
  }
}

const done: Decision = { decision: "done" };

/** The version that is to go next on the way to a goal. */
export function leavingOf(
  goal: Goal,
  state: Pick<
    EvolutionState,
    "versions" | "storage" | "conversion" | "webhooks" | "isForeign" | "isLeftAlone"
  >,
): string | undefined {
  const { versions, storage, conversion } = state;
  if (goal.goal === "retire") return versions.includes(goal.version) ? goal.version : undefined;
  if (goal.goal !== "uninstall" || conversion?.fault !== undefined || isFree(state)) return undefined;
  return versions.find((version) => version !== storage);
}

/** Whether no webhook refers to the kind, and no replica will restore one. */
function isFree({
  conversion,
  webhooks,
  isForeign,
  isLeftAlone,
}: Pick<EvolutionState, "conversion" | "webhooks" | "isForeign" | "isLeftAlone">): boolean {
  return conversion === undefined && webhooks.length === 0 && (isForeign || isLeftAlone);
}

function nextToServe(version: string, state: EvolutionState, conditions: Conditions): Decision | undefined {
  if (state.served.includes(version)) return undefined;
  const fault = replicaFault([...state.versions, version], state, conditions);
  if (fault !== undefined) return blocked(fault);
  if (state.versions.includes(version)) return take({ step: "serve", version });
  if (state.defined.length === 0)
    return blocked(
      `${version} is not a version of the CRD, and no folder of kinds defines it: apply a CRD that has it`,
    );
  if (!state.defined.includes(version))
    return blocked(`${version} is not a version of the kind's folder, which has ${state.defined.join(", ")}`);
  if (state.conversion === undefined)
    return blocked(
      "the CRD has no conversion webhook; replicas with --certs managed set it, otherwise apply spec.conversion of antechamber manifests",
    );
  return take({ step: "add", version });
}

function nextToStore(version: string, state: EvolutionState, conditions: Conditions): Decision | undefined {
  const first = nextToServe(version, state, conditions);
  if (first !== undefined) return first;
  if (state.storage !== version) {
    const fault = replicaFault(state.versions, state, conditions) ?? lossFault(version, state, conditions);
    return fault === undefined ? settled(state, conditions, { step: "store", version }) : blocked(fault);
  }
  return nextToRewrite(state, conditions);
}

function nextToRewrite(state: EvolutionState, conditions: Conditions): Decision | undefined {
  if (isRewritten(state)) return undefined;
  const fault = lossFault(state.storage, state, conditions);
  return fault === undefined
    ? settled(state, conditions, { step: "rewrite", version: state.storage })
    : blocked(fault);
}

/** What objects would lose that nothing converts when they are stored in another version. */
function lossFault(
  version: string,
  { conversion, losses, storedVersions }: EvolutionState,
  { allowLoss }: Conditions,
): string | undefined {
  if (allowLoss || conversion !== undefined) return undefined;
  const lost = losses.filter(({ from, to }) => to === version && storedVersions.includes(from));
  return lost.length === 0
    ? undefined
    : `the CRD has the conversion strategy None, so objects that are rewritten as ${version} lose ${lossText(lost)}; antechamber migrate --dry-run counts them; pass --allow-loss to go on`;
}

function isRewritten({ storage, storedVersions, hasFailedMigration }: EvolutionState): boolean {
  return !hasFailedMigration && storedVersions.length === 1 && storedVersions[0] === storage;
}

function nextToRetire(version: string, state: EvolutionState, conditions: Conditions): Decision | undefined {
  if (!state.versions.includes(version)) return undefined;
  const { storage, leaving } = state;
  if (version === storage)
    return blocked(
      state.versions.length === 1
        ? `${version} is the only version of the CRD; antechamber uninstall removes the webhooks of a kind`
        : `${version} is the storage version; store objects in another one first: --storage ${state.versions.findLast((each) => each !== version)}`,
    );
  if (leaving?.version !== version) throw new Error(`the use of ${version} was not observed`);
  // Before clients are waited for.
  const lost = isRewritten(state) ? undefined : lossFault(storage, state, conditions);
  if (lost !== undefined) return blocked(lost);
  if (state.served.includes(version)) return nextToStopServing(leaving, conditions, state.now);
  const rewriting = nextToRewrite(state, conditions);
  if (rewriting !== undefined) return rewriting;
  if (leaving.managed > 0) return settled(state, conditions, { step: "forget", version });
  return settled(state, conditions, { step: "remove", version });
}

function nextToStopServing(leaving: Leaving, conditions: Conditions, now: number): Decision {
  const { version, usage, recorded, apiServers } = leaving;
  const { unusedFor, settle, assume } = conditions;
  const stop = take({ step: "stopServing", version });
  const audited =
    leaving.audit === undefined ? undefined : auditFault(version, leaving.audit, conditions, now);
  if (audited !== undefined) return blocked(audited);
  if (assume.includes("unused")) return stop;
  const clients = managersText(leaving);
  if (apiServers > 1)
    return blocked(
      `this cluster has ${apiServers} API servers, and each counts its own requests; check apiserver_request_total{version="${version}"} of all of them, or pass the audit logs of all of them as --audit-log, then pass --assume unused${clients}`,
    );
  if (usage.watches > 0) return blocked(`${usage.watches} clients watch ${version} at the moment${clients}`);
  if (recorded === undefined || !sameUse(recorded.usage, usage) || recorded.since > now + settle)
    return take({ step: "record", version, usage, since: now });
  const { since } = recorded;
  const missing = since + Math.max(unusedFor, settle) - now;
  if (missing <= 0) return stop;
  // Two readings in a row show nothing: clients need a moment for their next request, which is counted when it has ended.
  const unseen = since + settle - now;
  if (unseen > 0)
    return {
      decision: "wait",
      milliseconds: Math.min(unseen, settle),
      reason: `to see whether clients use ${version}`,
    };
  return blocked(
    `no client is known to use ${version} since ${timeText(since)}; if that stays so, it may go from ${timeText(now + missing)} on, in ${durationText(missing)}: run this command again then, or set --unused-for${clients}`,
  );
}

/**
 * Why audit logs do not show that a version is unused. They only add to what the metrics say: the policy of an API server may
 * leave out requests.
 */
function auditFault(
  version: string,
  audit: AuditFacts,
  { unusedFor, settle }: Conditions,
  now: number,
): string | undefined {
  const since = now - Math.max(unusedFor, settle);
  const users = usersSince(audit, version, since);
  if (users.length > 0)
    return `by the audit log, clients have used ${version} since ${timeText(since)}: ${clientsText(users)}`;
  if (audit.events === 0)
    return "the audit log has no event of this kind at any version; does the audit policy record it, and is the log of this cluster?";
  if (audit.from > since)
    return `the audit log begins at ${timeText(audit.from)}, and must go back to ${timeText(since)}; pass older files of it too, or set --unused-for`;
  if (audit.to < now - maxAge)
    return `the audit log ends at ${timeText(audit.to)}; pass one that goes on until now`;
  return undefined;
}

/** Every API server has events all the time; fetching its log takes some minutes. */
const maxAge = 60 * 60 * 1000;

/** Why a version cannot go that had another request while the command ran. */
export function usedMeanwhile(leaving: Leaving): string {
  return `clients use ${leaving.version} at the moment${managersText(leaving)}`;
}

function managersText({ version, managers }: Leaving): string {
  return managers.length === 0 ? "" : `; managers with fields at ${version}: ${managers.join(", ")}`;
}

function nextToUninstall(state: EvolutionState, conditions: Conditions): Decision | undefined {
  const dead = deadText(state);
  if (dead !== undefined) return nextWithoutAnswer(dead, state, conditions);
  if (isFree(state)) return undefined;
  const leaving = leavingOf({ goal: "uninstall" }, state);
  if (leaving !== undefined) return nextToRetire(leaving, state, conditions);
  return nextToRewrite(state, conditions) ?? nextWithoutVersions(state);
}

/** Without a webhook that answers, nothing can be converted first: what is stored stays as it is. */
function nextWithoutAnswer(
  dead: string,
  state: EvolutionState,
  { allowLoss }: Conditions,
): Decision | undefined {
  const { losses, storedVersions, served, storage } = state;
  const lostIn = (version: string) =>
    losses.filter(({ from, to }) => to === version && storedVersions.includes(from));
  const lost = [...new Set([...served, storage])].flatMap(lostIn);
  if (lost.length > 0 && !allowLoss)
    return blocked(
      `${dead}. Repair it if you can. Without a conversion, each version shows its own fields alone, and a write stores only those that the storage version has too. Clients could delete ${lossText(lost)}. Pass --allow-loss to go on; nothing is deleted before a client writes`,
    );
  // Writes at a version that has all fields then lose none.
  const whole = served.find((version) => storedVersions.includes(version) && lostIn(version).length === 0);
  if (whole !== undefined && lostIn(storage).length > 0) return take({ step: "store", version: whole });
  return nextWithoutVersions(state);
}

function nextWithoutVersions({ webhooks, conversion }: EvolutionState): Decision | undefined {
  if (webhooks.length > 0) return take({ step: "removeWebhooks" });
  return conversion === undefined ? undefined : take({ step: "removeConversion" });
}

/** That the conversion webhook answers no call, and what API servers still allow then; undefined unless that is known. */
function deadText({
  conversion,
  storage,
  storedVersions,
}: Pick<EvolutionState, "conversion" | "storage" | "storedVersions">): string | undefined {
  if (conversion?.fault === undefined) return undefined;
  const others = storedVersions.filter((version) => version !== storage).join(" or ");
  const frozen =
    others === ""
      ? ""
      : `; those stored as ${others} can only be read, at that version, and the CRD cannot be deleted`;
  return `${conversion.at} converts this kind and does not answer: ${conversion.fault}. Objects stored as ${storage} can be used at ${storage} alone${frozen}`;
}

/** The same, and what would do: a repair goes without saying. */
export function deadEnd(crd: string, state: Parameters<typeof deadText>[0]): string | undefined {
  const dead = deadText(state);
  return dead === undefined ? undefined : `${dead}. antechamber uninstall ${crd} plan shows the way out`;
}

/** Why replicas would not convert between these versions. */
function replicaFault(
  needed: readonly string[],
  { crd, replicas, isForeign, conversion }: EvolutionState,
  { assume }: Conditions,
): string | undefined {
  if (assume.includes("rolled-out")) return undefined;
  if (isForeign)
    return conversion === undefined
      ? undefined
      : `${conversion.at} converts this kind, and does not report which versions it serves; try it with antechamber verify --kubeconfig, then pass --assume rolled-out`;
  if (replicas.length === 0)
    return "no replica has reported which versions it serves, which replicas with --certs managed do; check the rollout by other means, then pass --assume rolled-out";
  for (const { name, versions } of replicas) {
    if (versions === undefined)
      return `replica ${name} does not say which versions of ${crd} it serves: it runs an older release, or died without withdrawing its report`;
    const missing = needed.filter((version) => !versions.includes(version));
    if (missing.length > 0)
      return `replica ${name} does not serve ${missing.join(", ")} of ${crd}; roll out the release that does, then run this command again`;
  }
  return undefined;
}

/** The step, once every API server acts by the present CRD. */
function settled({ now, changedAt }: EvolutionState, { settle }: Conditions, step: Step): Decision {
  const missing = changedAt === undefined ? 0 : changedAt + settle - now;
  if (missing <= 0) return take(step);
  const reason = "until every API server has seen the last change";
  return { decision: "wait", milliseconds: Math.min(missing, settle), reason };
}

function take(step: Step): Decision {
  return { decision: "take", step };
}

function blocked(reason: string): Decision {
  return { decision: "blocked", reason };
}
