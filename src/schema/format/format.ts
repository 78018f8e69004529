import { isDNS1123Label, isDNS1123Subdomain } from "../../apimachinery/names.ts";
import { GoFault } from "../../go/fault.ts";
import { parseRequestUri } from "../../go/url.ts";
import { isByte, isColor, isCreditCard, isHexColor, isIsbn10, isIsbn13, isSsn } from "./codes.ts";
import { isEmail } from "./email.ts";
import { isCidr, isHostname, isIpv4, isIpv6, isMac } from "./network.ts";
import { durationOf, isDate, isDateTime } from "./time.ts";

/** Whether a text is of a format. */
type Format = (text: string) => boolean;

/**
 * The check of a format, as kube-openapi's strfmt makes it, by a name written with or without dashes; undefined for one
 * that an API server of v1.36 does not know and ignores (apiextensions, validation/formats.go).
 */
export function formatOf(name: string): Format | undefined {
  return formats.get(name.replaceAll("-", ""));
}

/** Whether the API server knows a format for a type; of other types there are none (GetUnrecognizedFormats). */
export function isFormatOf(type: string, format: string): boolean {
  if (type === "integer") return format === "int32" || format === "int64";
  if (type === "number") return format === "float" || format === "double";
  return (type === "" || type === "string") && formatOf(format) !== undefined;
}

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const uuid3 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const uuid4 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i;
const uuid5 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i;
const bsonObjectId = /^[0-9a-f]{24}$/i;

const formats: ReadonlyMap<string, Format> = new Map<string, Format>([
  ["bsonobjectid", (text) => bsonObjectId.test(text)],
  ["uri", (text) => !(parseRequestUri(text) instanceof GoFault)],
  ["email", isEmail],
  ["hostname", isHostname],
  ["ipv4", isIpv4],
  ["ipv6", isIpv6],
  ["cidr", isCidr],
  ["mac", isMac],
  ["uuid", (text) => uuid.test(text)],
  ["uuid3", (text) => uuid3.test(text)],
  ["uuid4", (text) => uuid4.test(text)],
  ["uuid5", (text) => uuid5.test(text)],
  ["isbn", (text) => isIsbn10(text) || isIsbn13(text)],
  ["isbn10", isIsbn10],
  ["isbn13", isIsbn13],
  ["creditcard", isCreditCard],
  ["ssn", isSsn],
  ["hexcolor", isHexColor],
  ["rgbcolor", isColor],
  ["byte", isByte],
  ["password", () => true],
  ["date", isDate],
  ["duration", (text) => !(durationOf(text) instanceof GoFault)],
  ["datetime", isDateTime],
  ["k8sshortname", isDNS1123Label],
  ["k8slongname", isDNS1123Subdomain],
]);
