import { jsonIn } from "../../json/exact.ts";
import { get, type Json, textAt } from "../../json/json.ts";

/** What the audit log of the API servers says of a kind. */
export interface AuditFacts {
  /** The time of the first and of the last event, in milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  /** How many events of the kind there are, at all versions. */
  readonly events: number;
  /** By version, who used it; the most recent first. */
  readonly clients: ReadonlyMap<string, readonly AuditClient[]>;
}

/** A client that used a version, as the API servers authenticated it. */
export interface AuditClient {
  readonly user: string;
  readonly agent: string;
  /** Requests that have ended; a watch may be open besides. */
  readonly requests: number;
  /** When the last request began or ended, in milliseconds since 1970. */
  readonly last: number;
}

/** A line of an audit log, and where it stands: `audit.log:12`. */
export interface AuditLine {
  readonly source: string;
  readonly text: string;
}

/** A line of an audit log cannot be read as an event. */
export class NotAnEvent extends Error {
  override readonly name = "NotAnEvent";
}

/** A kind whose clients an audit log is asked for. */
export interface AuditedKind {
  readonly group: string;
  readonly plural: string;
}

/**
 * Reads who used the versions of kinds from the lines of audit logs (audit.k8s.io/v1), in any order; the result is by the names
 * of CRDs. Only lines with the name of a kind, and the first and last ones of each log, are parsed. Undefined without any event.
 * Throws NotAnEvent.
 */
export async function readAudit(
  logs: AsyncIterable<AsyncIterable<AuditLine>>,
  kinds: readonly AuditedKind[],
): Promise<ReadonlyMap<string, AuditFacts> | undefined> {
  const found = kinds.map((kind) => ({ kind, name: `"${kind.plural}"`, clients: new Tally(), events: 0 }));
  const span = { from: Number.POSITIVE_INFINITY, to: Number.NEGATIVE_INFINITY };
  for await (const log of logs) {
    let last: AuditLine | undefined;
    let isFirst = true;
    for await (const line of log) {
      if (line.text === "") continue;
      if (isFirst) widen(span, eventIn(line));
      isFirst = false;
      last = line;
      const named = found.filter(({ name }) => line.text.includes(name));
      if (named.length === 0) continue;
      const event = eventIn(line);
      // Of a client that impersonates another one, this first event has the wrong user.
      if (get(event, "stage") === "RequestReceived") continue;
      const meant = named.find(({ kind }) => isOf(kind, get(event, "objectRef")));
      if (meant === undefined) continue;
      meant.events++;
      meant.clients.add(event);
    }
    if (last !== undefined) widen(span, eventIn(last));
  }
  if (span.from > span.to) return undefined;
  const facts = found.map(({ kind, clients, events }) => {
    return [`${kind.plural}.${kind.group}`, { ...span, events, clients: clients.byVersion() }] as const;
  });
  return new Map(facts);
}

function isOf({ group, plural }: AuditedKind, reference: Json | undefined): boolean {
  return get(reference, "resource") === plural && get(reference, "apiGroup") === group;
}

/** The clients that have used a version since a time. */
export function usersSince(audit: AuditFacts, version: string, since: number): readonly AuditClient[] {
  return (audit.clients.get(version) ?? []).filter(({ last }) => last >= since);
}

/** At most five clients in words. */
export function clientsText(clients: readonly AuditClient[]): string {
  const named = clients
    .slice(0, 5)
    .map(
      ({ user, agent, requests, last }) =>
        `${user} (${agent === "" ? "no user agent" : agent}; ${requests === 1 ? "1 request" : `${requests} requests`}, the last at ${new Date(last).toISOString()})`,
    );
  return [...named, ...(clients.length > 5 ? [`${clients.length - 5} more`] : [])].join(", ");
}

/** More distinct clients than this are counted as one. */
const maxClients = 1_000;

/** The clients of a kind, by version. */
class Tally {
  readonly #found = new Map<string, Map<string, AuditClient>>();

  add(event: Json): void {
    const version = String(get(event, "objectRef", "apiVersion"));
    const by = this.#found.get(version) ?? new Map<string, AuditClient>();
    this.#found.set(version, by);
    const user = textAt(event, "impersonatedUser", "username") || textAt(event, "user", "username");
    const agent = textAt(event, "userAgent");
    const key = JSON.stringify([user, agent]);
    const place = by.has(key) || by.size < maxClients ? key : "";
    const before = by.get(place) ?? {
      ...(place === "" ? { user: "other clients", agent: "various" } : { user, agent }),
      requests: 0,
      last: Number.NEGATIVE_INFINITY,
    };
    // A request has one event for each of its stages; a watch that is still open has not ended.
    const hasEnded = ["ResponseComplete", "Panic"].includes(textAt(event, "stage"));
    const last = Math.max(before.last, timeOf(event));
    by.set(place, { ...before, requests: before.requests + (hasEnded ? 1 : 0), last });
  }

  byVersion(): ReadonlyMap<string, readonly AuditClient[]> {
    return new Map([...this.#found].map(([version, by]) => [version, latestFirst([...by.values()])]));
  }
}

function latestFirst(clients: readonly AuditClient[]): readonly AuditClient[] {
  return clients.toSorted((one, other) => other.last - one.last);
}

function widen(span: { from: number; to: number }, event: Json): void {
  const time = timeOf(event);
  span.from = Math.min(span.from, time);
  span.to = Math.max(span.to, time);
}

function eventIn({ source, text: line }: AuditLine): Json {
  const event = jsonIn(line);
  if (get(event, "apiVersion") !== "audit.k8s.io/v1" || get(event, "kind") !== "Event")
    throw new NotAnEvent(`${source}: not an Event of audit.k8s.io/v1, one on each line`);
  if (Number.isNaN(timeOf(event))) throw new NotAnEvent(`${source}: the event has no stageTimestamp`);
  return event ?? null;
}

function timeOf(event: Json | undefined): number {
  return Date.parse(textAt(event, "stageTimestamp"));
}
