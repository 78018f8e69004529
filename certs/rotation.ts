/** A certificate, as far as rotation depends on it. Times are milliseconds since 1970. */
export interface Certificate {
  readonly pem: string;
  /** The same for the same certificate only. */
  readonly id: string;
  readonly notBefore: number;
  readonly notAfter: number;
}

/** A CA with its private key. */
export interface SigningAuthority extends Certificate {
  /** PEM. */
  readonly key: string;
}

/** The certificate that all replicas serve, with its private key. */
export interface Leaf extends Certificate {
  /** PEM. */
  readonly key: string;
  /** The id of the CA that signed it; empty if it is none that the state knows. */
  readonly issuer: string;
  /** Whether it is valid for all hosts of the service. */
  readonly coversHosts: boolean;
}

/**
 * The phases of a rotation. `stable`: there is one CA. `publish`: the next CA is added to every bundle. `switch`: it signs the
 * leaf, and the previous one stays in the bundles until no replica serves a leaf of it. `retire`: it is taken out of them.
 */
export type Phase = "stable" | "publish" | "switch" | "retire";

export const phases: readonly Phase[] = ["stable", "publish", "switch", "retire"];

/** What the Secret holds. A damaged Secret lacks some of it, and `nextStep` makes up for that. */
export interface RotationState {
  readonly phase: Phase;
  /** Signs leaves. */
  readonly authority?: SigningAuthority;
  /** Takes its place; only in `publish`. */
  readonly next?: SigningAuthority;
  /** The CAs that stay in the bundles beside these. */
  readonly trusted: readonly Certificate[];
  readonly leaf?: Leaf;
}

/** The caBundle of a CRD or webhook configuration, as it was read. */
export interface Bundle {
  readonly target: string;
  /** Only those that all its webhooks hold. */
  readonly certificates: readonly Certificate[];
  /** Whether it holds these certificates alone, and needs no other correction. */
  readonly isClean: boolean;
  /** Why it cannot be read or written; then it is not written in this round. */
  readonly fault?: string;
}

/** What a replica says of itself, before it does it. */
export interface Report {
  readonly replica: string;
  /** What it serves, or is about to. */
  readonly leaves: readonly ReportedLeaf[];
}

/** A leaf without its key. */
export interface ReportedLeaf {
  /** The id of its CA. */
  readonly issuer: string;
  readonly notBefore: number;
  readonly notAfter: number;
}

/** Everything that the next step depends on, besides the state. */
export interface Observed {
  /** The time of the API server, which is the one that verifies certificates. */
  readonly now: number;
  readonly bundles: readonly Bundle[];
  readonly reports: readonly Report[];
  /** Milliseconds for which `conditionOf` has been the same, by a clock that never jumps. */
  readonly heldFor: number;
}

/** How long things last, in milliseconds. */
export interface RotationSettings {
  readonly authorityLife: number;
  readonly leafLife: number;
  /** Until every API server acts by a changed bundle. */
  readonly propagationDelay: number;
}

/** One write, or a wait. */
export type Step =
  /** Makes a CA and stores it as the next one; these stay trusted. Without `authority` the state is begun anew. */
  | {
      readonly do: "publish";
      readonly authority?: SigningAuthority;
      readonly trusted: readonly Certificate[];
    }
  | { readonly do: "write bundles"; readonly targets: readonly string[] }
  | { readonly do: "renew leaf" | "switch" | "retire" | "settle" }
  | { readonly do: "wait"; readonly reason: string };

/** The next step of the rotation. It may be taken again, or by another replica, at any time. */
export function nextStep(
  state: RotationState | undefined,
  observed: Observed,
  settings: RotationSettings,
): Step {
  const { now } = observed;
  const signing = state?.phase === "publish" ? state.next : state?.authority;
  if (state === undefined || signing === undefined || !isValid(signing, now)) return anew(state, observed);
  if (isLeafDue(state, now, settings)) return { do: "renew leaf" };
  const targets = incorrect(state, observed).filter(({ fault }) => fault === undefined);
  if (targets.length > 0) return { do: "write bundles", targets: targets.map(({ target }) => target) };
  return stepOf(state, observed, settings);
}

/** The CAs of a state. */
export function trustOf({ authority, next, trusted }: RotationState): readonly Certificate[] {
  return distinct([authority, next, ...trusted].filter((each) => each !== undefined));
}

/**
 * What every bundle is to hold: the CAs of the state, and those that some bundle holds and a replica serves leaves of, which the
 * state of a deleted or edited Secret may not know.
 */
export function bundleOf(state: RotationState, { bundles, reports, now }: Observed): readonly Certificate[] {
  const served = new Set(validLeaves(reports, now).map(({ issuer }) => issuer));
  const kept = bundles.flatMap(({ certificates }) => certificates).filter(({ id }) => served.has(id));
  return distinct([...trustOf(state), ...kept]);
}

/** What the present phase waits for, if it has come about; a new one begins a new wait. */
export function conditionOf(state: RotationState | undefined, observed: Observed): string | undefined {
  if (state === undefined || incorrect(state, observed).length > 0) return undefined;
  if (state.phase === "publish") return `published ${state.next?.id}`;
  if (state.phase === "switch" && laggards(state, observed).length === 0)
    return `switched to ${state.authority?.id}`;
  return undefined;
}

/** Whether a certificate is valid, or what a report names. */
export function isValid(
  { notBefore, notAfter }: Pick<Certificate, "notBefore" | "notAfter">,
  now: number,
): boolean {
  return notBefore <= now && now < notAfter;
}

/** Whether every bundle holds a CA. */
export function isPublished(authority: string, bundles: readonly Bundle[]): boolean {
  return bundles.every(({ certificates }) => certificates.some(({ id }) => id === authority));
}

function stepOf(state: RotationState, observed: Observed, settings: RotationSettings): Step {
  const { phase, authority } = state;
  const faulty = observed.bundles.filter(({ fault }) => fault !== undefined);
  if (phase === "stable") {
    if (authority === undefined || !isDue(authority, settings.authorityLife, observed.now))
      return { do: "wait", reason: "the CA is not due" };
    return { do: "publish", authority, trusted: state.trusted };
  }
  if (faulty.length > 0)
    return { do: "wait", reason: `the caBundle of ${faulty.map(({ target }) => target).join(", ")}` };
  if (phase === "retire") return { do: "settle" };
  if (phase === "switch") {
    const waiting = laggards(state, observed);
    if (waiting.length > 0) return { do: "wait", reason: `another leaf is served by ${waiting.join(", ")}` };
    return hasPassed(observed, settings, "retire");
  }
  // Without a valid leaf anywhere, waiting would only prolong the outage.
  return isServing(observed) ? hasPassed(observed, settings, "switch") : { do: "switch" };
}

function hasPassed(
  { heldFor }: Observed,
  { propagationDelay }: RotationSettings,
  step: "switch" | "retire",
): Step {
  if (heldFor >= propagationDelay) return { do: step };
  return { do: "wait", reason: `before ${step}, until every API server has read the bundles` };
}

/**
 * There is no valid CA to go on with. Replicas may still serve leaves of those that are in the bundles, and switch to the new
 * one like in any rotation.
 */
function anew(state: RotationState | undefined, observed: Observed): Step {
  const { now, reports, bundles } = observed;
  const known = [
    ...(state === undefined ? [] : trustOf(state)),
    ...bundles.flatMap(({ certificates }) => certificates),
  ];
  const served = new Set(reports.flatMap(({ leaves }) => leaves).map(({ issuer }) => issuer));
  const valid = distinct(known).filter(({ notAfter }) => now < notAfter);
  const sorted = valid.toSorted((a, b) => Number(served.has(b.id)) - Number(served.has(a.id)));
  const { authority } = state ?? {};
  const mayRenew = authority !== undefined && isValid(authority, now) && state?.phase === "publish";
  return { do: "publish", ...(mayRenew ? { authority } : {}), trusted: sorted.slice(0, maxTrusted) };
}

/** More than one rotation leaves; a bundle that other clients filled is not kept as a whole. */
const maxTrusted = 8;

/** Bundles that do not hold exactly what they are to hold. */
function incorrect(state: RotationState, observed: Observed): readonly Bundle[] {
  const wanted = new Set(bundleOf(state, observed).map(({ id }) => id));
  return observed.bundles.filter(({ certificates, isClean, fault }) => {
    const found = new Set(certificates.map(({ id }) => id));
    return fault !== undefined || !isClean || found.symmetricDifference(wanted).size > 0;
  });
}

/** Replicas that may serve a leaf of another CA. A leaf that is not valid needs no CA. */
function laggards({ authority }: RotationState, { reports, now }: Observed): readonly string[] {
  return reports
    .filter((report) => validLeaves([report], now).some(({ issuer }) => issuer !== authority?.id))
    .map(({ replica }) => replica);
}

/** Whether a replica says that it serves a valid leaf. */
function isServing({ reports, now }: Observed): boolean {
  return validLeaves(reports, now).length > 0;
}

function validLeaves(reports: readonly Report[], now: number): readonly ReportedLeaf[] {
  return reports.flatMap(({ leaves }) => leaves).filter((leaf) => isValid(leaf, now));
}

function isLeafDue({ authority, leaf }: RotationState, now: number, { leafLife }: RotationSettings): boolean {
  if (authority === undefined || !isValid(authority, now)) return false;
  if (leaf === undefined || leaf.issuer !== authority.id || !leaf.coversHosts || !isValid(leaf, now))
    return true;
  // A leaf ends with its CA at the latest: another one would not be valid for longer.
  return isDue(leaf, leafLife, now) && leaf.notAfter < authority.notAfter;
}

/**
 * Whether two thirds of its life are over, or a little less, so that installations that began together do not renew together.
 * A certificate that is valid for much longer than it should be was made by a wrong clock, or with other settings.
 */
function isDue({ id, notAfter }: Certificate, life: number, now: number): boolean {
  const left = notAfter - now;
  return left < life * (1 / 3 + jitterOf(id) / 15) || left > life * 1.1 + minute;
}

const minute = 60_000;

/** From 0 to 1, the same for the same certificate, so that all replicas agree on it. */
function jitterOf(id: string): number {
  let hash = 0;
  for (const character of id) hash = (hash * 31 + character.charCodeAt(0)) % 1_000;
  return hash / 1_000;
}

function distinct(certificates: readonly Certificate[]): readonly Certificate[] {
  return [...new Map(certificates.map((each) => [each.id, each])).values()];
}
