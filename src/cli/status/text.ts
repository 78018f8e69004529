import { targetName } from "../../cluster/api/ca-bundles.ts";
import type { AuditClient } from "../../cluster/lifecycle/audit.ts";
import { timeText } from "../../time.ts";
import { counted } from "../../words.ts";
import type { Facts, Installation, KindFacts, TargetFacts, Validity } from "./facts.ts";
import { isManaged, servedAuthorities, valueOr } from "./problems.ts";

/** What is printed of the facts, a screen long. */
export function statusText(facts: Facts, problems: readonly string[]): string {
  const { installation, now } = facts;
  const sections = [
    ...(installation === undefined
      ? []
      : [
          serviceLines(installation, facts),
          certificateLines(installation, now),
          bundleLines(installation, now),
        ]),
    versionLines(facts),
    ...conversionSections(facts),
    ...auditSections(facts),
    problems.length === 0
      ? ["No problem was found."]
      : [
          problems.length === 1 ? "1 problem:" : `${problems.length} problems:`,
          ...problems.map((each) => `  - ${each}`),
        ],
  ];
  return sections.map((lines) => lines.map((line) => `${line.trimEnd()}\n`).join("")).join("\n");
}

function serviceLines(
  { service, url, endpoints, replicas }: Installation,
  { server, kinds, now }: Facts,
): readonly string[] {
  const reports = valueOr(replicas, []);
  const ready =
    endpoints !== undefined && "value" in endpoints
      ? `${endpoints.value.ready} of ${endpoints.value.known} endpoints ready`
      : "endpoints unknown";
  const rows = reports.map(({ name, serial, leaves, fault, versions }) => {
    const until = Math.max(...(leaves ?? []).map(({ notAfter }) => notAfter));
    const lacking = kinds.filter(({ crd, isDefined }) => isDefined && versions?.[crd] === undefined).length;
    const served = versions === undefined ? "not reported" : lacking === 0 ? "all" : `all but ${lacking}`;
    return [
      name,
      serial.slice(0, 16),
      Number.isFinite(until) ? untilText(until, now) : "none",
      served,
      fault ?? "",
    ];
  });
  return [
    url === undefined
      ? `Service ${service.namespace}/${service.name} in ${server}: ${ready}`
      : `Service at ${url}, called by ${server}; whether it answers is not known here`,
    ...table(["REPLICA", "SERIAL", "CERTIFICATE UNTIL", "KINDS", "FAULT"], rows),
  ];
}

function certificateLines(installation: Installation, now: number): readonly string[] {
  const { rotation, lease } = installation;
  if (!isManaged(installation))
    return ["Certificates: not made by the replicas (--certs files), or no replica has reported yet"];
  const { phase = "unknown", authority, next, leaf } = valueOr(rotation, undefined) ?? {};
  const { name = "", renewed } = valueOr(lease, undefined) ?? {};
  const since =
    renewed === undefined ? "" : `, renewed ${Math.max(0, Math.round((now - renewed) / 1000))} s ago`;
  const row = (what: string, validity: Validity | undefined) =>
    validity === undefined ? [] : [[what, validity.id.slice(0, 16), untilText(validity.notAfter, now)]];
  return [
    ...("unreadable" in rotation ? [`Certificates: ${rotation.unreadable}`] : []),
    `Certificates: phase ${phase}; the Lease is held by ${name === "" ? "no replica" : name}${since}`,
    ...table(
      ["", "FINGERPRINT", "UNTIL"],
      [...row("CA", authority), ...row("next CA", next), ...row("certificate", leaf)],
    ),
  ];
}

/** Only those that differ, since all others say the same. */
function bundleLines(installation: Installation, now: number): readonly string[] {
  const served = servedAuthorities(installation, now);
  const described = installation.bundles.map(({ target, state }) => {
    const text = "value" in state ? bundleText(state.value, served) : "unknown";
    return { name: targetName(target), text };
  });
  const usual = described.filter(({ text }) => text === trusted).length;
  const others = described.filter(({ text }) => text !== trusted);
  return [
    served.size === 0
      ? "Bundles (which CA is served is not reported)"
      : `Bundles: ${usual} of ${described.length} CRDs and webhook configurations ${trusted}`,
    ...table(
      undefined,
      others.map(({ name, text }) => [name, text]),
    ),
  ];
}

const trusted = "hold the CA that is served";

function bundleText(state: TargetFacts, served: ReadonlySet<string>): string {
  switch (state.is) {
    case "missing":
      return "does not exist";
    case "stripped":
      return "has no conversion webhook";
    case "left alone":
      return `left alone: ${state.reason}`;
    case "ours": {
      const held = new Set(state.authorities.map(({ id }) => id));
      if (held.size === 0) return state.url === undefined ? "empty" : "the roots of the API server";
      if (served.size === 0) return counted(held.size, "CA");
      return [...served].every((issuer) => held.has(issuer)) ? trusted : "lacks the CA that is served";
    }
  }
}

function versionLines({ kinds, apiServers }: Facts): readonly string[] {
  const rows = kinds.flatMap(kindRows);
  if (rows.length === 0) return ["Versions: none of the kinds is in this cluster"];
  const several =
    valueOr(apiServers, 1) > 1
      ? ` (requests: only those of one of ${valueOr(apiServers, 1)} API servers)`
      : "";
  return [
    `Versions${several}`,
    ...table(["KIND", "VERSION", "SERVED", "STORED", "REQUESTS", "WATCHES", "MANAGERS OF FIELDS"], rows),
  ];
}

function kindRows({ crd, state }: KindFacts): readonly (readonly string[])[] {
  const found = valueOr(state, undefined);
  if (found === undefined) return [];
  const { versions, served, storage, storedVersions, usage, managers } = found;
  const used = valueOr(usage, []);
  return versions.map((version, index) => {
    const { objects = 0, managers: names = [] } =
      ("value" in managers ? managers.value.of.get(version) : undefined) ?? {};
    const more = "value" in managers && !managers.value.isComplete ? " or more" : "";
    const [latest = "", ...others] = names;
    const of =
      latest === ""
        ? ""
        : `${latest}${others.length > 0 ? ` and ${others.length} more` : ""} in ${objects}${more} objects`;
    return [
      index === 0 ? crd : "",
      version,
      served.includes(version) ? "yes" : "no",
      version === storage ? "yes" : storedVersions.includes(version) ? "old objects" : "",
      String(used[index]?.requests ?? "?"),
      String(used[index]?.watches ?? "?"),
      of,
    ];
  });
}

/** Where kinds are converted with which the installation has nothing to do. */
function conversionSections({ kinds }: Facts): readonly (readonly string[])[] {
  const rows = kinds.flatMap(({ crd, isDefined, state }) => {
    const found = valueOr(state, undefined);
    if (found === undefined || isDefined) return [];
    const { at, fault } = valueOr(found.conversion, undefined) ?? { at: nothing };
    const { storage, storedVersions } = found;
    // A request at another version would show it, and would count as a use of that version.
    const isUntried = at !== nothing && storedVersions.every((version) => version === storage);
    return [[crd, at, fault ?? (isUntried ? `unknown: all objects are stored as ${storage}` : "")]];
  });
  return rows.length === 0 ? [] : [["Conversion", ...table(["KIND", "BY", "FAULT"], rows)]];
}

const nothing = "nothing: the strategy is None";

/** The latest clients of each version; none without an audit log. */
function auditSections({ kinds }: Facts): readonly (readonly string[])[] {
  const audits = kinds.flatMap(({ crd, audit }) => (audit === undefined ? [] : [{ crd, audit }]));
  const [first] = audits;
  if (first === undefined) return [];
  const { from, to } = first.audit;
  const rows = audits.flatMap(({ crd, audit }) =>
    [...audit.clients].flatMap(([version, clients]) => clientRows([crd, version], clients)),
  );
  const title = `Clients by the audit log, from ${timeText(from)} to ${timeText(to)}`;
  return rows.length === 0
    ? [[`${title}: none; does the audit policy record these kinds, and is the log of this cluster?`]]
    : [[title, ...table(["KIND", "VERSION", "USER", "PROGRAM", "REQUESTS", "LAST"], rows)]];
}

/** A screen has room for so many clients of a version; `-o json` has all. */
const mostClients = 5;

function clientRows(of: readonly string[], clients: readonly AuditClient[]): readonly (readonly string[])[] {
  const rows = clients
    .slice(0, mostClients)
    .map(({ user, agent, requests, last }) => [user, agent, String(requests), timeText(last)]);
  const left = clients.length - mostClients;
  return [...rows, ...(left > 0 ? [[`and ${left} more`]] : [])].map((row, index) => [
    ...(index === 0 ? of : ["", ""]),
    ...row,
  ]);
}

function untilText(notAfter: number, now: number): string {
  return `${timeText(notAfter)} (${leftText(notAfter - now)})`;
}

function leftText(milliseconds: number): string {
  if (milliseconds <= 0) return "expired";
  const [days, hours, minutes] = [86_400_000, 3_600_000, 60_000].map((unit) =>
    Math.floor(milliseconds / unit),
  ) as [number, number, number];
  if (days > 0) return `${days} d`;
  if (hours > 0) return `${hours} h`;
  return minutes > 0 ? `${minutes} min` : `${Math.floor(milliseconds / 1000)} s`;
}

/** Columns as wide as their longest cell. */
function table(head: readonly string[] | undefined, rows: readonly (readonly string[])[]): readonly string[] {
  if (rows.length === 0) return [];
  const all = head === undefined ? rows : [head, ...rows];
  const widths = (all[0] ?? []).map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}`);
}
