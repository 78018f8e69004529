import { maxUint } from "../../../go/numbers.ts";
import { compareBytes, quote } from "../../../go/text.ts";
import { type Row, type Run, taking } from "../language/function.ts";
import { semverType } from "../language/types.ts";
import { CelError, errorOr, isBool, isText, type Thing, type Value } from "../language/values.ts";

interface Version {
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint];
  readonly pre: readonly (bigint | string)[];
  readonly text: string;
}

class Semver implements Thing {
  readonly thing = semverType;
  readonly version: Version;
  constructor(version: Version) {
    this.version = version;
  }
  equals(other: Value): Value {
    return other instanceof Semver ? compareVersions(this.version, other.version) === 0 : errorOr(other);
  }
  print(): string {
    return this.version.text;
  }
}

const isSemver = (value: Value): value is Semver => value instanceof Semver;
const ordered = (test: (order: -1 | 0 | 1) => Value): Run =>
  taking([isSemver, isSemver], (a, b) => test(compareVersions(a.version, b.version)));
const number = (index: 0 | 1 | 2): Run =>
  taking([isSemver], ({ version }) => BigInt.asIntN(64, version.numbers[index]));
const lenient = (text: string, isLenient: boolean) => toSemver(isLenient ? normalize(text) : text);

/** Kubernetes' semver library, version 1 (apiserver/pkg/cel/library/semverlib.go, blang/semver). */
export const semverRows: readonly Row[] = [
  ["string_to_semver", "semver(string): Semver", taking([isText], (text) => toSemver(text))],
  ["string_bool_to_semver", "semver(string, bool): Semver", taking([isText, isBool], lenient)],
  ["is_semver_string", "isSemver(string): bool", taking([isText], (text) => isSemver(toSemver(text)))],
  [
    "is_semver_string_bool",
    "isSemver(string, bool): bool",
    taking([isText, isBool], (text, isLenient) => isSemver(lenient(text, isLenient))),
  ],
  ["semver_is_greater_than", "Semver .isGreaterThan(Semver): bool", ordered((order) => order > 0)],
  ["semver_is_less_than", "Semver .isLessThan(Semver): bool", ordered((order) => order < 0)],
  ["semver_compare_to", "Semver .compareTo(Semver): int", ordered((order) => BigInt(order))],
  ["semver_major", "Semver .major(): int", number(0)],
  ["semver_minor", "Semver .minor(): int", number(1)],
  ["semver_patch", "Semver .patch(): int", number(2)],
];

/** `v1.02` as `1.2.0`. */
function normalize(text: string): string | CelError {
  const parts = splitTwice(text.replace(/^v/, "")).map(withoutZeros);
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? "")) {
    return new CelError("short version cannot contain PreRelease/Build meta data");
  }
  while (parts.length < 3) parts.push("0");
  return parts.join(".");
}

function splitTwice(text: string): string[] {
  const [first = "", second, ...rest] = text.split(".");
  return [first, ...(second === undefined ? [] : [second]), ...(rest.length === 0 ? [] : [rest.join(".")])];
}

function withoutZeros(part: string): string {
  if (part.length <= 1) return part;
  const rest = part.replace(/^0+/, "");
  return /^\d/.test(rest) ? rest : `0${rest}`;
}

function toSemver(text: string | CelError): Value {
  if (text instanceof CelError) return text;
  if (text === "") return new CelError("Version string empty");
  const parts = splitTwice(text);
  if (parts.length !== 3) return new CelError("No Major.Minor.Patch elements found");
  const [, patch = "", pre, build] = /^([^+-]*)(?:-([^+]*))?(?:\+(.*))?$/s.exec(parts[2] ?? "") ?? [];
  const major = readNumber(parts[0] ?? "", "major", "Major");
  if (major instanceof CelError) return major;
  const minor = readNumber(parts[1] ?? "", "minor", "Minor");
  if (minor instanceof CelError) return minor;
  const third = readNumber(patch, "patch", "Patch");
  if (third instanceof CelError) return third;
  const read = readPre(pre);
  if (read instanceof CelError) return read;
  const wrong = buildFault(build);
  return wrong ?? new Semver({ numbers: [major, minor, third], pre: read, text });
}

function readNumber(text: string, word: string, title: string): bigint | CelError {
  if (/\D/.test(text)) return new CelError(`Invalid character(s) found in ${word} number ${quote(text)}`);
  if (/^0./.test(text)) return new CelError(`${title} number must not contain leading zeroes ${quote(text)}`);
  return parseUint(text);
}

function parseUint(text: string): bigint | CelError {
  const why = text === "" ? "invalid syntax" : "value out of range";
  const value = text === "" || text.length > 20 ? maxUint + 1n : BigInt(text);
  return value > maxUint ? new CelError(`strconv.ParseUint: parsing ${quote(text)}: ${why}`) : value;
}

function readPre(text: string | undefined): readonly (bigint | string)[] | CelError {
  const parts: (bigint | string)[] = [];
  for (const part of text?.split(".") ?? []) {
    const read = readPrePart(part);
    if (read instanceof CelError) return read;
    parts.push(read);
  }
  return parts;
}

function readPrePart(part: string): bigint | string | CelError {
  if (part === "") return new CelError("Prerelease is empty");
  if (/^\d+$/.test(part)) {
    if (/^0./.test(part))
      return new CelError(`Numeric PreRelease version must not contain leading zeroes ${quote(part)}`);
    return parseUint(part);
  }
  if (/^[\dA-Za-z-]+$/.test(part)) return part;
  return new CelError(`Invalid character(s) found in prerelease ${quote(part)}`);
}

function buildFault(text: string | undefined): CelError | undefined {
  for (const part of text?.split(".") ?? []) {
    if (part === "") return new CelError("Build meta data is empty");
    if (!/^[\dA-Za-z-]+$/.test(part))
      return new CelError(`Invalid character(s) found in build meta data ${quote(part)}`);
  }
  return undefined;
}

function compareVersions(a: Version, b: Version): -1 | 0 | 1 {
  for (const [index, left] of a.numbers.entries()) {
    const right = b.numbers[index] ?? 0n;
    if (left !== right) return left > right ? 1 : -1;
  }
  if (a.pre.length === 0 || b.pre.length === 0) {
    if (a.pre.length === b.pre.length) return 0;
    return a.pre.length === 0 ? 1 : -1;
  }
  for (const [index, left] of a.pre.entries()) {
    const right = b.pre[index];
    if (right === undefined) return 1;
    const part = comparePre(left, right);
    if (part !== 0) return part;
  }
  return a.pre.length < b.pre.length ? -1 : 0;
}

function comparePre(a: bigint | string, b: bigint | string): -1 | 0 | 1 {
  if (typeof a === "string") return typeof b === "string" ? compareBytes(a, b) : 1;
  if (typeof b === "string") return -1;
  if (a === b) return 0;
  return a > b ? 1 : -1;
}
