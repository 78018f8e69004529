import {
  faultsOfDNS1035Label,
  faultsOfDNS1123Label,
  faultsOfDNS1123Subdomain,
  faultsOfLabelValue,
  faultsOfQualifiedName,
  maskTrailingDash,
} from "../../../apimachinery/names.ts";
import { GoFault } from "../../../go/fault.ts";
import { parseRequestUri } from "../../../go/url.ts";
import { formatOf } from "../../format/format.ts";
import { Items } from "../language/collections.ts";
import { type Row, taking } from "../language/function.ts";
import { formatType } from "../language/types.ts";
import { errorOr, isText, none, Optional, type Thing, type Value } from "../language/values.ts";

/** A named format: what is wrong with a text, and how long its pattern is, for the cost. */
export class NamedFormat implements Thing {
  readonly thing = formatType;
  readonly name: string;
  readonly patternSize: number;
  readonly faults: Check;
  constructor(name: string, patternSize: number, faults: Check) {
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

type Check = (text: string) => readonly string[];

// kube-openapi strfmt.DateTimePattern has so many characters, UUIDPattern so many.
const dateTimeSize = 71;
const uuidSize = 70;

/** A format of kube-openapi. */
function strfmt(name: string, size: number, fault: string): NamedFormat {
  const isValid = formatOf(name);
  return new NamedFormat(name, size, (text) => (isValid?.(text) === true ? [] : [fault]));
}

function prefix(faults: Check): Check {
  return (text) => faults(maskTrailingDash(text));
}

const formats: ReadonlyMap<string, NamedFormat> = new Map([
  ["dns1123Label", new NamedFormat("DNS1123Label", 30, faultsOfDNS1123Label)],
  ["dns1123Subdomain", new NamedFormat("DNS1123Subdomain", 60, (text) => faultsOfDNS1123Subdomain(text))],
  ["dns1035Label", new NamedFormat("DNS1035Label", 30, faultsOfDNS1035Label)],
  ["qualifiedName", new NamedFormat("QualifiedName", 60, (text) => faultsOfQualifiedName(text))],
  ["dns1123LabelPrefix", new NamedFormat("DNS1123LabelPrefix", 30, prefix(faultsOfDNS1123Label))],
  ["dns1123SubdomainPrefix", new NamedFormat("DNS1123SubdomainPrefix", 60, prefix(faultsOfDNS1123Subdomain))],
  ["dns1035LabelPrefix", new NamedFormat("DNS1035LabelPrefix", 30, prefix(faultsOfDNS1035Label))],
  ["labelValue", new NamedFormat("LabelValue", 40, (text) => faultsOfLabelValue(text))],
  ["uri", new NamedFormat("URI", 1103, uriFaults)],
  ["uuid", strfmt("uuid", uuidSize, "does not match the UUID format")],
  ["byte", strfmt("byte", 84, "invalid base64")],
  ["date", strfmt("date", dateTimeSize, "invalid date")],
  ["datetime", strfmt("datetime", dateTimeSize, "invalid datetime")],
]);

const isFormat = (value: Value): value is NamedFormat => value instanceof NamedFormat;

/** Kubernetes' format library (apiserver/pkg/cel/library/format.go). */
export const formatRows: readonly Row[] = [
  [
    "format-validate",
    "Format .validate(string): optional(list(string))",
    taking([isFormat, isText], validate),
  ],
  [
    "format-named",
    "format.named(string): optional(Format)",
    taking([isText], (name) => new Optional(formats.get(name))),
  ],
  ...[...formats].map(([name, format]): Row => [`format.${name}`, `format.${name}(): Format`, () => format]),
];

function validate(format: NamedFormat, text: string): Value {
  const faults = format.faults(text);
  return faults.length === 0 ? none : new Optional(new Items(faults));
}

function uriFaults(text: string): readonly string[] {
  const url = parseRequestUri(text);
  return url instanceof GoFault ? [url.message] : [];
}
