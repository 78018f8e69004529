import { isValid } from "../../../certs/rotation.ts";
import { targetName } from "../../cluster/api/ca-bundles.ts";
import { lossText } from "../../cluster/lifecycle/conversion.ts";
import { deadEnd } from "../../cluster/lifecycle/next.ts";
import { timeText } from "../../time.ts";
import type { Facts, Installation, KindFacts, Replica, TargetFacts, Validity } from "./facts.ts";

/** What an operator has to look at, a sentence for each; empty if all is well. What cannot be read is among it. */
export function problemsOf(facts: Facts): readonly string[] {
  const { installation, kinds, now } = facts;
  const of =
    installation === undefined
      ? []
      : [
          ...serviceProblems(installation, now),
          ...certificateProblems(installation, now),
          ...installation.bundles.flatMap((bundle) => bundleProblems(bundle, installation, now)),
        ];
  return [...of, ...kinds.flatMap((kind) => kindProblems(kind, installation))];
}

/** Whether the replicas make their certificate themselves. */
export function isManaged({ replicas, rotation }: Installation): boolean {
  return valueOr(replicas, []).length > 0 || valueOr(rotation, undefined) !== undefined;
}

/** The CAs of what the replicas report that they serve. */
export function servedAuthorities({ replicas }: Installation, now: number): ReadonlySet<string> {
  const leaves = valueOr(replicas, []).flatMap((each) => each.leaves ?? []);
  return new Set(leaves.filter((leaf) => isValid(leaf, now)).map(({ issuer }) => issuer));
}

/** A value, or another one if it could not be read. */
export function valueOr<Value>(
  read: { readonly value: Value } | { readonly unreadable: string },
  otherwise: Value,
): Value {
  return "value" in read ? read.value : otherwise;
}

function unreadable(...reads: readonly ({ readonly value: unknown } | { readonly unreadable: string })[]) {
  return reads.flatMap((read) => ("unreadable" in read ? [read.unreadable] : []));
}

function serviceProblems({ service, endpoints, replicas }: Installation, now: number): readonly string[] {
  const reports = valueOr(replicas, []);
  const ready = endpoints !== undefined && "value" in endpoints ? endpoints.value.ready : undefined;
  const isDown = ready === 0 && "value" in replicas;
  return [
    ...unreadable(...(endpoints === undefined ? [] : [endpoints]), replicas),
    ...(isDown
      ? [
          `the Service ${service.namespace}/${service.name} has no ready endpoint: every call of its webhooks fails; kubectl -n ${service.namespace} get pods says why`,
        ]
      : []),
    ...reports.flatMap((replica) => replicaProblems(replica, now)),
  ];
}

function replicaProblems({ name, leaves, fault }: Replica, now: number): readonly string[] {
  if (fault !== undefined) return [`replica ${name}: ${fault}`];
  if (leaves === undefined)
    return [`replica ${name}: its report is damaged; the replica repairs it if it runs`];
  const [last] = leaves.toSorted((a, b) => b.notAfter - a.notAfter);
  if (last === undefined) return [`replica ${name}: it serves no certificate`];
  if (leaves.some((leaf) => isValid(leaf, now))) return [];
  return [
    `replica ${name}: its certificate is not valid now (until ${timeText(last.notAfter)}); if the pod is gone, its report is forgotten an hour after that`,
  ];
}

/** Milliseconds; the holder renews its Lease every two seconds. */
const patience = 30_000;

function certificateProblems(installation: Installation, now: number): readonly string[] {
  const { rotation, lease } = installation;
  if (!isManaged(installation)) return [];
  // Users who may not read Secrets see what the replicas report of the certificate.
  const problems = [...unreadable(lease)];
  if ("value" in rotation && rotation.value === undefined)
    problems.push(
      "the Secret with the state of the rotation is missing; the holder of the Lease makes it anew",
    );
  const { authority, leaf, phase } = valueOr(rotation, undefined) ?? {};
  if (authority !== undefined) problems.push(...validityProblems("the CA", authority, now));
  if (leaf !== undefined) problems.push(...validityProblems("the certificate", leaf, now));
  if (phase !== undefined && leaf === undefined) problems.push("the Secret holds no certificate");
  if ("value" in lease) {
    const { name = "", renewed } = lease.value ?? {};
    if (name === "") problems.push("no replica holds the Lease, which is needed to renew the certificate");
    else if (renewed === undefined || now - renewed > patience)
      problems.push(
        `the Lease was last renewed by ${name}${renewed === undefined ? "" : ` at ${timeText(renewed)}`}: no replica renews the certificate`,
      );
  }
  return problems;
}

/** Less than a quarter of its life is left: two thirds are when it is due. */
function validityProblems(what: string, { notBefore, notAfter }: Validity, now: number): readonly string[] {
  if (now < notBefore) return [`${what} is valid only from ${timeText(notBefore)} on`];
  if (now >= notAfter) return [`${what} has expired at ${timeText(notAfter)}`];
  if (notAfter - now > (notAfter - notBefore) / 4) return [];
  return [`${what} expires at ${timeText(notAfter)}, and should have been renewed already`];
}

function bundleProblems(
  { target, state }: Installation["bundles"][number],
  installation: Installation,
  now: number,
): readonly string[] {
  if ("unreadable" in state) return [state.unreadable];
  const reason = bundleFault(state.value, installation, now);
  return reason === undefined ? [] : [`${targetName(target)}: ${reason}`];
}

function bundleFault(state: TargetFacts, installation: Installation, now: number): string | undefined {
  switch (state.is) {
    case "missing":
      return "does not exist; apply what antechamber manifests prints";
    case "stripped":
      return "has no conversion webhook: the API server shows objects in other versions without converting them";
    case "left alone":
      return undefined;
    case "ours": {
      const { authorities, url } = state;
      // The roots of the API server may hold the CA of a URL.
      if (authorities.length === 0 && url !== undefined) return undefined;
      if (authorities.length === 0) return "its caBundle is empty: the API server does not trust the service";
      if (!authorities.some((authority) => isValid(authority, now)))
        return "no CA of its caBundle is valid now";
      const held = new Set(authorities.map(({ id }) => id));
      const lacks = [...servedAuthorities(installation, now)].some((issuer) => !held.has(issuer));
      return lacks ? "its caBundle lacks the CA of a certificate that is served" : undefined;
    }
  }
}

function kindProblems(
  { crd, isDefined, state }: KindFacts,
  installation: Installation | undefined,
): readonly string[] {
  if ("unreadable" in state) return [state.unreadable];
  if (state.value === undefined) return isDefined ? [] : [`${crd}: no such CRD`];
  const { versions, served, storage, storedVersions, hasFailedMigration, losses, usage, managers } =
    state.value;
  const conversion = valueOr(state.value.conversion, undefined);
  const dead = conversion === undefined ? undefined : deadEnd(crd, { conversion, storage, storedVersions });
  const isDead = dead === undefined ? [] : [`${crd}: ${dead}`];
  const inUse = new Set([...served, ...storedVersions]);
  // A CRD of the project has a problem without its conversion in any case.
  const lost = isDefined ? [] : losses.filter(({ from, to }) => inUse.has(from) && inUse.has(to));
  const isLossy =
    lost.length === 0
      ? []
      : [
          `${crd}: nothing converts between its versions, so that every write, if only of a label, deletes what the version it is made at, or the storage version ${storage}, does not have: ${lossText(lost)}. Give the CRD a conversion webhook; antechamber migrate ${crd} --dry-run counts what is lost`,
        ];
  const lacking = valueOr(installation?.replicas ?? { value: [] }, []).flatMap((replica) => {
    if (replica.versions === undefined || !isDefined) return [];
    const known = replica.versions[crd] ?? [];
    const missing = versions.filter((version) => !known.includes(version));
    return missing.length === 0
      ? []
      : [`replica ${replica.name} does not serve ${missing.join(", ")} of ${crd}, which the CRD has`];
  });
  const isUnserved = served.length === 0 ? [`${crd}: serves no version`] : [];
  const isUnsure = hasFailedMigration
    ? [
        `${crd}: a StorageVersionMigration failed and has trimmed storedVersions all the same: objects may be stored in other versions; run antechamber evolve ${crd} --storage ${storage}`,
      ]
    : [];
  return [
    ...isDead,
    ...isLossy,
    ...lacking,
    ...isUnserved,
    ...isUnsure,
    ...unreadable(state.value.conversion, usage, managers),
  ];
}
