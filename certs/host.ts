import { isIP, isIPv6 } from "node:net";

/** A host of a certificate in terms of X.509: a DNS name or an IP address. */
type Host = { readonly type: "dns"; readonly name: string } | { readonly type: "ip"; readonly ip: string };

/** A message why a certificate cannot be issued for this host; undefined if it can. */
export function checkHost(host: string): string | undefined {
  if (isIP(host) !== 0) {
    return host.includes("%")
      ? `"${host}" has a zone, which a certificate cannot name; leave it out`
      : undefined;
  }
  if (host.startsWith("[")) return `"${host}" is in brackets; write the address alone`;
  if (host.includes("://") || host.includes("/")) return `"${host}" is a URL; write its host alone`;
  if (/:\d*$/.test(host)) return `"${host}" has a port; write the host alone`;
  if (isDnsName(host)) return undefined;
  return `"${host}" is neither a DNS name nor an IP address; write one like webhook.default.svc or 127.0.0.1`;
}

/** The host for a certificate; throws the message of `checkHost`. */
export function toHost(host: string): Host {
  const fault = checkHost(host);
  if (fault !== undefined) throw new Error(fault);
  if (isIPv6(host)) return { type: "ip", ip: canonicalIPv6(host) };
  return isIP(host) !== 0 ? { type: "ip", ip: host } : { type: "dns", name: host.toLowerCase() };
}

/** RFC 1123, with `*` allowed as the first of at least three labels. The last label is not a number, as in a mistyped address. */
function isDnsName(host: string): boolean {
  if (host.length > 253) return false;
  const labels = host.split(".");
  const named = labels[0] === "*" && labels.length > 2 ? labels.slice(1) : labels;
  const last = named.at(-1);
  return named.every(isLabel) && last !== undefined && !/^\d+$/.test(last);
}

function isLabel(label: string): boolean {
  return label.length <= 63 && /^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$/.test(label);
}

/** Without a dotted tail (`::ffff:1.2.3.4`), which forge would encode as an IPv4 address. */
function canonicalIPv6(ip: string): string {
  return new URL(`https://[${ip}]`).hostname.slice(1, -1);
}
