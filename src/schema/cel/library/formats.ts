import { Items } from "../collections.ts";
import type { Row } from "../function.ts";
import { momentOf } from "../time.ts";
import { formatType } from "../types.ts";
import { parseRequestUri } from "../url.ts";
import { CelError, errorOr, none, Optional, type Thing, type Value } from "../values.ts";

/** A named format: what is wrong with a text, and how long its pattern is, for the cost. */
export class NamedFormat implements Thing {
  readonly thing = formatType;
  readonly name: string;
  readonly patternSize: number;
  readonly faults: (text: string) => readonly string[];
  constructor(name: string, patternSize: number, faults: (text: string) => readonly string[]) {
    this.name = name;
    this.patternSize = patternSize;
    this.faults = faults;
  }
  equals(other: Value): Value {
    return other instanceof NamedFormat ? this.name === other.name : errorOr(other);
  }
  print(): string {
    return this.name;
  }
}

const labelPattern = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomainPattern = `${labelPattern}(\\.${labelPattern})*`;
const label1035Pattern = "[a-z]([-a-z0-9]*[a-z0-9])?";
const namePattern = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
// kube-openapi strfmt.DateTimePattern has so many characters, UUIDPattern so many.
const dateTimeSize = 71;
const uuidSize = 70;

const checked =
  (fault: string, test: (text: string) => boolean) =>
  (text: string): readonly string[] =>
    test(text) ? [] : [fault];
const asPrefix = (faults: (text: string) => readonly string[]) => (text: string) =>
  faults(maskTrailingDash(text));

const formats: ReadonlyMap<string, NamedFormat> = new Map([
  ["dns1123Label", new NamedFormat("DNS1123Label", 30, labelFaults)],
  ["dns1123Subdomain", new NamedFormat("DNS1123Subdomain", 60, subdomainFaults)],
  ["dns1035Label", new NamedFormat("DNS1035Label", 30, label1035Faults)],
  ["qualifiedName", new NamedFormat("QualifiedName", 60, qualifiedNameFaults)],
  ["dns1123LabelPrefix", new NamedFormat("DNS1123LabelPrefix", 30, asPrefix(labelFaults))],
  ["dns1123SubdomainPrefix", new NamedFormat("DNS1123SubdomainPrefix", 60, asPrefix(subdomainFaults))],
  ["dns1035LabelPrefix", new NamedFormat("DNS1035LabelPrefix", 30, asPrefix(label1035Faults))],
  ["labelValue", new NamedFormat("LabelValue", 40, labelValueFaults)],
  ["uri", new NamedFormat("URI", 1103, uriFaults)],
  ["uuid", new NamedFormat("uuid", uuidSize, checked("does not match the UUID format", isUuid))],
  ["byte", new NamedFormat("byte", 84, checked("invalid base64", isBase64))],
  ["date", new NamedFormat("date", dateTimeSize, checked("invalid date", isDate))],
  ["datetime", new NamedFormat("datetime", dateTimeSize, checked("invalid datetime", isDateTime))],
]);

/** Kubernetes' format library (apiserver/pkg/cel/library/format.go). */
export const formatRows: readonly Row[] = [
  ["format-validate", "Format .validate(string): optional(list(string))", validate],
  [
    "format-named",
    "format.named(string): optional(Format)",
    (name) => new Optional(formats.get(name as string)),
  ],
  ...[...formats].map(([name, format]): Row => [`format.${name}`, `format.${name}(): Format`, () => format]),
];

function validate(format: Value, text: Value): Value {
  const faults = (format as NamedFormat).faults(text as string);
  return faults.length === 0 ? none : new Optional(new Items(faults));
}

const tooLong = (length: number): string => `must be no more than ${length} characters`;
const byteLength = (text: string): number => Buffer.byteLength(text);

function patternFault(message: string, pattern: string, ...examples: readonly string[]): string {
  const list = examples.map((example) => `'${example}', `).join(" or ");
  return `${message} (e.g. ${list}regex used for validation is '${pattern}')`;
}

function maskTrailingDash(text: string): string {
  return text.length > 1 && text.endsWith("-") ? `${text.slice(0, -2)}a` : text;
}

const isLabelText = (text: string): boolean =>
  /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text) && !text.endsWith("\n");
const isSubdomainText = (text: string): boolean => text.split(".").every(isLabelText);

function labelFaults(text: string): readonly string[] {
  const long = byteLength(text) > 63 ? [tooLong(63)] : [];
  if (isLabelText(text)) return long;
  if (isSubdomainText(text)) return [...long, "must not contain dots"];
  const message =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
  return [...long, patternFault(message, labelPattern, "my-name", "123-abc")];
}

function subdomainFaults(text: string): readonly string[] {
  const long = byteLength(text) > 253 ? [tooLong(253)] : [];
  if (isSubdomainText(text)) return long;
  const message =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
  return [...long, patternFault(message, subdomainPattern, "example.com")];
}

function label1035Faults(text: string): readonly string[] {
  const long = byteLength(text) > 63 ? [tooLong(63)] : [];
  if (/^[a-z]/.test(text) && isLabelText(text)) return long;
  const message =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  return [...long, patternFault(message, label1035Pattern, "my-name", "abc-123")];
}

const isNameText = (text: string): boolean =>
  /^[A-Za-z0-9]$/.test(text) || (/^[A-Za-z0-9][-A-Za-z0-9_.]*$/.test(text) && /[A-Za-z0-9]$/.test(text));
const nameFault = (subject: string): string =>
  patternFault(
    `${subject} must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character`,
    namePattern,
    "MyName",
    "my.name",
    "123-abc",
  );

function qualifiedNameFaults(text: string): readonly string[] {
  const parts = text.split("/");
  if (parts.length > 2) {
    return [
      `${nameFault("a valid label key")} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const [prefix, name = ""] = parts.length === 2 ? parts : [undefined, parts[0]];
  const faults: string[] = [];
  if (prefix === "") faults.push("prefix part must be non-empty");
  else if (prefix !== undefined)
    faults.push(...subdomainFaults(prefix).map((fault) => `prefix part ${fault}`));
  if (name === "") faults.push("name part must be non-empty");
  else if (byteLength(name) > 63) faults.push(`name part ${tooLong(63)}`);
  if (!isNameText(name)) faults.push(nameFault("name part"));
  return faults;
}

function labelValueFaults(text: string): readonly string[] {
  const long = byteLength(text) > 63 ? [tooLong(63)] : [];
  if (text === "" || isNameText(text)) return long;
  const message =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  return [...long, patternFault(message, `(${namePattern})?`, "MyValue", "my_value", "12345")];
}

function uriFaults(text: string): readonly string[] {
  const url = parseRequestUri(text);
  return url instanceof CelError ? [url.message] : [];
}

function isUuid(text: string): boolean {
  return /^[\da-f]{8}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{12}$/i.test(text);
}

function isBase64(text: string): boolean {
  return text !== "" && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

/** Go's full-date: `2006-01-02`. */
export function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  return year !== undefined && momentOf(year, month ?? "", day ?? "") !== undefined;
}

function isDateTime(text: string): boolean {
  const [date = "", time] = text.toLowerCase().split("t");
  if (time === undefined || !isDate(date)) return false;
  const match = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/.exec(time);
  return match !== null && Number(match[1]) <= 23 && Number(match[2]) <= 59 && Number(match[3]) <= 59;
}
