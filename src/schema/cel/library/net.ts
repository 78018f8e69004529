import { GoFault } from "../../../go/fault.ts";
import {
  type Address,
  includes,
  isMapped,
  mask,
  type Prefix,
  parseAddress,
  parsePrefix,
  printAddress,
} from "../../../go/netip.ts";
import { quote } from "../../../go/text.ts";
import { type Row, taking } from "../language/function.ts";
import { cidrType, ipType } from "../language/types.ts";
import { CelError, errorOr, isText, type Thing, type Value } from "../language/values.ts";

class Ip implements Thing {
  readonly thing = ipType;
  readonly address: Address;
  constructor(address: Address) {
    this.address = address;
  }
  get size(): number {
    return this.address.bytes.length;
  }
  equals(other: Value): Value {
    return other instanceof Ip ? printAddress(this.address) === printAddress(other.address) : errorOr(other);
  }
  print(): string {
    return printAddress(this.address);
  }
}

class Cidr implements Thing {
  readonly thing = cidrType;
  readonly prefix: Prefix;
  constructor(prefix: Prefix) {
    this.prefix = prefix;
  }
  get size(): number {
    return Math.ceil(this.prefix.bits / 8);
  }
  equals(other: Value): Value {
    return other instanceof Cidr ? this.print() === other.print() : errorOr(other);
  }
  print(): string {
    return `${printAddress(this.prefix.address)}/${this.prefix.bits}`;
  }
}

const isIp = (value: Value): value is Ip => value instanceof Ip;
const isCidr = (value: Value): value is Cidr => value instanceof Cidr;
const ofIp = (test: (bytes: readonly number[]) => boolean) =>
  taking([isIp], ({ address }) => test(address.bytes));

/** Kubernetes' IP and CIDR libraries (apiserver/pkg/cel/library/ip.go, cidr.go). */
export const netRows: readonly Row[] = [
  ["string_to_ip", "ip(string): IP", taking([isText], toIp)],
  ["ip_family", "IP .family(): int", taking([isIp], (ip) => (ip.size === 4 ? 4n : 6n))],
  ["ip_is_canonical", "ip.isCanonical(string): bool", taking([isText], isCanonical)],
  ["ip_is_unspecified", "IP .isUnspecified(): bool", ofIp((bytes) => bytes.every((byte) => byte === 0))],
  ["ip_is_loopback", "IP .isLoopback(): bool", ofIp(isLoopback)],
  ["ip_is_link_local_multicast", "IP .isLinkLocalMulticast(): bool", ofIp(isLinkLocalMulticast)],
  ["ip_is_link_local_unicast", "IP .isLinkLocalUnicast(): bool", ofIp(isLinkLocalUnicast)],
  ["ip_is_global_unicast", "IP .isGlobalUnicast(): bool", ofIp(isGlobalUnicast)],
  ["is_ip", "isIP(string): bool", taking([isText], (text) => !(readIp(text) instanceof CelError))],
  ["ip_to_string", "string(IP): string", taking([isIp], (ip) => ip.print())],
  ["string_to_cidr", "cidr(string): CIDR", taking([isText], toCidr)],
  [
    "cidr_contains_ip_string",
    "CIDR .containsIP(string): bool",
    taking([isCidr, isText], (cidr, text) => containsIp(cidr, toIp(text))),
  ],
  ["cidr_contains_ip_ip", "CIDR .containsIP(IP): bool", taking([isCidr, isIp], containsIp)],
  [
    "cidr_contains_cidr_string",
    "CIDR .containsCIDR(string): bool",
    taking([isCidr, isText], (cidr, text) => containsCidr(cidr, toCidr(text))),
  ],
  ["cidr_contains_cidr", "CIDR .containsCIDR(CIDR): bool", taking([isCidr, isCidr], containsCidr)],
  ["cidr_ip", "CIDR .ip(): IP", taking([isCidr], ({ prefix }) => new Ip(prefix.address))],
  ["cidr_prefix_length", "CIDR .prefixLength(): int", taking([isCidr], ({ prefix }) => BigInt(prefix.bits))],
  ["cidr_masked", "CIDR .masked(): CIDR", taking([isCidr], ({ prefix }) => new Cidr(mask(prefix)))],
  ["is_cidr", "isCIDR(string): bool", taking([isText], (text) => !(readCidr(text) instanceof CelError))],
  ["cidr_to_string", "string(CIDR): string", taking([isCidr], (cidr) => cidr.print())],
];

function readIp(text: string): Address | CelError {
  const address = parseAddress(text);
  if (address instanceof GoFault) {
    return new CelError(
      `IP Address ${quote(text)} parse error during conversion from string: ${address.message}`,
    );
  }
  if (address.zone !== "") return new CelError(`IP address ${quote(text)} with zone value is not allowed`);
  if (isMapped(address)) return new CelError(`IPv4-mapped IPv6 address ${quote(text)} is not allowed`);
  return address;
}

function toIp(text: string): Value {
  const address = readIp(text);
  return address instanceof CelError ? address : new Ip(address);
}

function isCanonical(text: string): Value {
  const address = readIp(text);
  return address instanceof CelError ? address : printAddress(address) === text;
}

const cidrFault = "network address parse error during conversion from string";

function readCidr(text: string): Prefix | CelError {
  const prefix = parsePrefix(text);
  if (prefix instanceof GoFault) return new CelError(`${cidrFault}: ${prefix.message}`);
  if (isMapped(prefix.address)) return new CelError(`IPv4-mapped IPv6 address ${quote(text)} is not allowed`);
  return prefix;
}

function toCidr(text: string): Value {
  const prefix = readCidr(text);
  return prefix instanceof CelError ? new CelError(`${cidrFault}: ${prefix.message}`) : new Cidr(prefix);
}

function containsIp({ prefix }: Cidr, ip: Value): Value {
  // A text that is not an address fails without its reason: upstream returns the fault of the network instead (cidr.go).
  return ip instanceof Ip ? includes(prefix, ip.address) : new CelError("no such overload");
}

function containsCidr({ prefix }: Cidr, other: Value): Value {
  if (!(other instanceof Cidr)) return errorOr(other);
  return prefix.bits <= other.prefix.bits && includes(prefix, other.prefix.address);
}

function isLoopback(bytes: readonly number[]): boolean {
  if (bytes.length === 4) return bytes[0] === 127;
  return bytes.every((byte, index) => byte === (index === 15 ? 1 : 0));
}

function isLinkLocalMulticast(bytes: readonly number[]): boolean {
  if (bytes.length === 4) return bytes[0] === 224 && bytes[1] === 0 && bytes[2] === 0;
  return bytes[0] === 0xff && ((bytes[1] ?? 0) & 0x0f) === 2;
}

function isLinkLocalUnicast(bytes: readonly number[]): boolean {
  if (bytes.length === 4) return bytes[0] === 169 && bytes[1] === 254;
  return bytes[0] === 0xfe && ((bytes[1] ?? 0) & 0xc0) === 0x80;
}

function isGlobalUnicast(bytes: readonly number[]): boolean {
  const isMulticast = bytes.length === 4 ? ((bytes[0] ?? 0) & 0xf0) === 0xe0 : bytes[0] === 0xff;
  const isBroadcast = bytes.length === 4 && bytes.every((byte) => byte === 255);
  const isNothing = bytes.every((byte) => byte === 0);
  return !(isNothing || isBroadcast || isMulticast || isLoopback(bytes) || isLinkLocalUnicast(bytes));
}
