import { GoFault } from "../../go/fault.ts";
import { parseAddress } from "../../go/netip.ts";
import { byteLength } from "../../go/text.ts";

const label = /^[\p{S}\p{L}a-zA-Z0-9]$/u;

/** A host name as strfmt has it: letters of any script and symbols pass, and a last label of letters alone. */
export function isHostname(text: string): boolean {
  const bytes = byteLength(text);
  if (bytes === 0 || bytes > 255) return false;
  const parts = text.split(".");
  if (parts.some((part) => byteLength(part) > 63)) return false;
  const last = parts.pop() ?? "";
  if (parts.length === 0) return isSingleLabel(last);
  const characters = [...last];
  return (
    parts.every(isInnerLabel) &&
    characters.length >= 2 &&
    characters.length <= 63 &&
    characters.every((character) => /^[a-zA-Z\p{L}]$/u.test(character))
  );
}

/** A name of one label: one dash may follow its first character, and no other is allowed. */
function isSingleLabel(text: string): boolean {
  const [first = "", ...rest] = [...text];
  const more = rest[0] === "-" ? rest.slice(1) : rest;
  return label.test(first) && more.length <= 62 && more.every((character) => label.test(character));
}

function isInnerLabel(text: string): boolean {
  const characters = [...text];
  const inner = characters.slice(1, -1);
  return (
    label.test(characters[0] ?? "") &&
    label.test(characters.at(-1) ?? "") &&
    inner.length <= 61 &&
    inner.every((character) => character === "-" || label.test(character))
  );
}

/** An address with a dot in it: leading zeros pass, and so does an IPv6 address that ends like an IPv4 one. */
export function isIpv4(text: string): boolean {
  return text.includes(".") && (isQuad(text) || isSloppyIpv6(text));
}

/** An address of either family without a zone (net.ParseIP). */
export function isIp(text: string): boolean {
  const address = parseAddress(text);
  return !(address instanceof GoFault) && address.zone === "";
}

/** An IPv6 address without a zone. */
export function isIpv6(text: string): boolean {
  return text.includes(":") && isIp(text);
}

/** An address and the length of its prefix. */
export function isCidr(text: string): boolean {
  const slash = text.indexOf("/");
  if (slash < 0) return false;
  const [address, prefix] = [text.slice(0, slash), text.slice(slash + 1)];
  const bits = isQuad(address) ? 32 : isSloppyIpv6(address) ? 128 : undefined;
  return bits !== undefined && /^\d+$/.test(prefix) && Number(prefix) <= bits;
}

/** An EUI-48, EUI-64 or InfiniBand address, with colons, dashes, dots or nothing between (net.ParseMAC). */
export function isMac(text: string): boolean {
  const pairs = /^[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1)*[0-9a-f]{2}$/i.test(text) ? (text.length + 1) / 3 : 0;
  const quads = /^[0-9a-f]{4}(?:\.[0-9a-f]{4})+$/i.test(text) ? (2 * (text.length + 1)) / 5 : 0;
  const plain = /^[0-9a-f]+$/i.test(text) ? text.length / 2 : 0;
  return [6, 8, 20].some((bytes) => bytes === pairs || bytes === quads || bytes === plain);
}

function isQuad(text: string): boolean {
  const parts = text.split(".");
  return (
    parts.length === 4 &&
    parts.every((part) => /^\d+$/.test(part) && part.length < 1000 && Number(part) <= 255)
  );
}

/** netutils.ParseIPSloppy, which takes leading zeros: eight groups of hexadecimal digits, `::` once for at least one of them, the last two maybe in dots. */
function isSloppyIpv6(text: string): boolean {
  if (text.length > 2000 || !text.includes(":")) return false;
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const groups = halves.map((half) => (half === "" ? [] : half.split(":")));
  const all = groups.flat();
  const last = all.at(-1) ?? "";
  const quad = last.includes(".") && (groups.at(-1)?.length ?? 0) > 0 && isQuad(last);
  const plain = quad ? all.slice(0, -1) : all;
  const size = plain.length + (quad ? 2 : 0);
  if (!plain.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return false;
  return halves.length === 2 ? size < 8 : size === 8;
}
