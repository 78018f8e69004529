import { GoFault } from "./fault.ts";
import { quote } from "./text.ts";

/** An IP address: 4 or 16 bytes. Callers reject an address with a zone. */
export interface Address {
  readonly bytes: readonly number[];
  readonly zone: string;
}

/** Reads an address as Go's netip.ParseAddr does, with its words for what is wrong. */
export function parseAddress(text: string): Address | GoFault {
  const mark = /[.:%]/.exec(text)?.[0];
  if (mark === ".") return parseV4(text);
  if (mark === ":") return parseV6(text);
  return fault(text, mark === "%" ? "missing IPv6 address" : "unable to parse IP");
}

function fault(text: string, message: string, at = ""): GoFault {
  return new GoFault(`ParseAddr(${quote(text)}): ${message}${at === "" ? "" : ` (at ${quote(at)})`}`);
}

function parseV4(text: string): Address | GoFault {
  const bytes = parseFields(text, text);
  return bytes instanceof GoFault ? bytes : { bytes, zone: "" };
}

function parseFields(whole: string, text: string): readonly number[] | GoFault {
  const bytes: number[] = [];
  let digits = "";
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    if (character >= "0" && character <= "9") {
      if (digits === "0") return fault(whole, "IPv4 field has octet with leading zero");
      digits += character;
      if (Number(digits) > 255) return fault(whole, "IPv4 field has value >255");
    } else if (character !== ".") return fault(whole, "unexpected character", text.slice(at));
    else {
      const empty = at === 0 || at === text.length - 1 || text[at - 1] === ".";
      if (empty) return fault(whole, "IPv4 field must have at least one digit", text.slice(at));
      if (bytes.length === 3) return fault(whole, "IPv4 address too long");
      bytes.push(Number(digits));
      digits = "";
    }
  }
  return bytes.length < 3 ? fault(whole, "IPv4 address too short") : [...bytes, Number(digits)];
}

function parseV6(text: string): Address | GoFault {
  const percent = text.indexOf("%");
  const [body, zone] = percent < 0 ? [text, ""] : [text.slice(0, percent), text.slice(percent + 1)];
  if (percent >= 0 && zone === "") return fault(text, "zone must be a non-empty string");
  const read = readGroups(text, body);
  if (read instanceof GoFault) return read;
  const { bytes, ellipsis } = read;
  if (bytes.length === 16) {
    if (ellipsis < 0) return { bytes, zone };
    return fault(text, "the :: must expand to at least one field of zeros");
  }
  if (ellipsis < 0) return fault(text, "address string too short");
  const zeros = new Array<number>(16 - bytes.length).fill(0);
  return { bytes: [...bytes.slice(0, ellipsis), ...zeros, ...bytes.slice(ellipsis)], zone };
}

interface Groups {
  readonly bytes: readonly number[];
  readonly ellipsis: number;
}

function readGroups(whole: string, body: string): Groups | GoFault {
  const bytes: number[] = [];
  let ellipsis = -1;
  let rest = body;
  if (rest.startsWith("::")) {
    ellipsis = 0;
    rest = rest.slice(2);
    if (rest === "") return { bytes, ellipsis };
  }
  while (bytes.length < 16) {
    const digits = /^[\da-fA-F]*/.exec(rest.slice(0, 5))?.[0] ?? "";
    if (digits.length > 4) return fault(whole, "each group must have 4 or less digits", rest);
    if (digits === "") return fault(whole, "each colon-separated field must have at least one digit", rest);
    if (rest[digits.length] === ".") {
      const fields = embedded(whole, rest, bytes.length, ellipsis);
      return fields instanceof GoFault ? fields : { bytes: [...bytes, ...fields], ellipsis };
    }
    const value = Number.parseInt(digits, 16);
    bytes.push(value >> 8, value & 255);
    rest = rest.slice(digits.length);
    if (rest === "") break;
    if (!rest.startsWith(":")) return fault(whole, "unexpected character, want colon", rest);
    if (rest === ":") return fault(whole, "colon must be followed by more characters", rest);
    rest = rest.slice(1);
    if (rest.startsWith(":")) {
      if (ellipsis >= 0) return fault(whole, "multiple :: in address", rest);
      ellipsis = bytes.length;
      rest = rest.slice(1);
      if (rest === "") break;
    }
  }
  return rest === "" ? { bytes, ellipsis } : fault(whole, "trailing garbage after address", rest);
}

function embedded(whole: string, rest: string, count: number, ellipsis: number): readonly number[] | GoFault {
  if (ellipsis < 0 && count !== 12) {
    return fault(whole, "embedded IPv4 address must replace the final 2 fields of the address", rest);
  }
  if (count + 4 > 16) {
    return fault(whole, "too many hex fields to fit an embedded IPv4 at the end of the address", rest);
  }
  return parseFields(whole, rest);
}

/** Whether an address is an IPv4-mapped IPv6 address. */
export function isMapped({ bytes }: Address): boolean {
  return (
    bytes.length === 16 &&
    bytes.slice(0, 10).every((byte) => byte === 0) &&
    bytes[10] === 255 &&
    bytes[11] === 255
  );
}

/** The canonical text of an address (RFC 5952). */
export function printAddress({ bytes }: Address): string {
  if (bytes.length === 4) return bytes.join(".");
  const groups = Array.from(
    { length: 8 },
    (_, index) => (bytes[2 * index] as number) * 256 + (bytes[2 * index + 1] as number),
  );
  const [start, length] = longestZeros(groups);
  const hex = (part: readonly number[]) => part.map((group) => group.toString(16)).join(":");
  if (length < 2) return hex(groups);
  return `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`;
}

function longestZeros(groups: readonly number[]): readonly [start: number, length: number] {
  let best: readonly [number, number] = [0, 0];
  for (let start = 0; start < groups.length; start++) {
    let end = start;
    while (groups[end] === 0) end++;
    if (end - start > best[1]) best = [start, end - start];
  }
  return best;
}

/** A network: an address and how many of its bits count. */
export interface Prefix {
  readonly address: Address;
  readonly bits: number;
}

/** Reads a network as Go's netip.ParsePrefix does. */
export function parsePrefix(text: string): Prefix | GoFault {
  const bad = (message: string) => new GoFault(`netip.ParsePrefix(${quote(text)}): ${message}`);
  const slash = text.lastIndexOf("/");
  if (slash < 0) return bad("no '/'");
  const address = parseAddress(text.slice(0, slash));
  if (address instanceof GoFault) return bad(address.message);
  if (address.zone !== "") return bad("IPv6 zones cannot be present in a prefix");
  const bits = text.slice(slash + 1);
  if (!/^(?:\d|[1-9]\d{1,17})$/.test(bits)) return bad(`bad bits after slash: ${quote(bits)}`);
  if (Number(bits) > address.bytes.length * 8) return bad("prefix length out of range");
  return { address, bits: Number(bits) };
}

/** The network with the bits that do not count set to zero. */
export function mask({ address, bits }: Prefix): Prefix {
  const bytes = address.bytes.map((byte, index) => {
    const kept = Math.min(8, Math.max(0, bits - index * 8));
    return byte & (0xff << (8 - kept)) & 0xff;
  });
  return { address: { ...address, bytes }, bits };
}

/** Whether an address is within a network. */
export function includes(prefix: Prefix, address: Address): boolean {
  if (prefix.address.bytes.length !== address.bytes.length) return false;
  const [a, b] = [mask(prefix), mask({ address, bits: prefix.bits })];
  return a.address.bytes.every((byte, index) => byte === b.address.bytes[index]);
}
