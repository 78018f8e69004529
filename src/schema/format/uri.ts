import { isIpv6 } from "./network.ts";

/** A URI with a scheme, or an absolute path, as Go's url.ParseRequestURI takes it. */
export function isRequestUri(text: string): boolean {
  if (text === "" || hasControls(text)) return false;
  if (text === "*") return true;
  if (text.startsWith(":")) return false;
  const [, scheme, behind = text] = /^([a-zA-Z][a-zA-Z0-9+.-]*):(.*)$/s.exec(text) ?? [];
  const [rest = ""] = behind.split("?");
  if (!rest.startsWith("/")) return scheme !== undefined;
  if (scheme === undefined || !rest.startsWith("//")) return isEscaped(rest);
  const slash = rest.indexOf("/", 2);
  const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
  return isAuthority(authority, scheme.toLowerCase()) && isEscaped(slash < 0 ? "" : rest.slice(slash));
}

function hasControls(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}

/** Whether each percent sign begins an escape. */
function isEscaped(text: string): boolean {
  return !/%(?![0-9a-fA-F]{2})/.test(text);
}

function isAuthority(text: string, scheme: string): boolean {
  const at = text.lastIndexOf("@");
  const user = text.slice(0, Math.max(at, 0));
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user) || !isEscaped(user)) return false;
  const host = text.slice(at + 1);
  return host.startsWith("[") ? isBracketed(host) : isPlainHost(host, scheme);
}

/** An IPv6 address in brackets, its zone after `%25`, and a port. */
function isBracketed(text: string): boolean {
  const end = text.lastIndexOf("]");
  if (end < 0 || text.lastIndexOf("[") > 0 || !/^(:\d*)?$/.test(text.slice(end + 1))) return false;
  const name = text.slice(1, end);
  const zone = name.indexOf("%25");
  const address = zone < 0 ? name : name.slice(0, zone);
  // An escape stands for a byte beyond ASCII, which no address has; a zone may be anything but nothing.
  if (zone >= 0 && (!isZone(name.slice(zone)) || name.length === zone + 3)) return false;
  return isIpv6(address);
}

function isPlainHost(text: string, scheme: string): boolean {
  if (text.includes("[")) return false;
  const colon = scheme === "http" || scheme === "https" ? text.indexOf(":") : text.lastIndexOf(":");
  if (colon >= 0 && !/^\d*$/.test(text.slice(colon + 1))) return false;
  return isHostText(text);
}

/** Escapes in a host are for what is no ASCII. */
function isHostText(text: string): boolean {
  return /^(?:[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]|[\u0080-\uffff]|%(?:[89a-fA-F][0-9a-fA-F]|25))*$/.test(text);
}

function isZone(text: string): boolean {
  return /^(?:[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]|[\u0080-\uffff]|%[0-9a-fA-F]{2})*$/.test(text);
}
