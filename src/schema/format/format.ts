import { isByte, isColor, isCreditCard, isHexColor, isIsbn10, isIsbn13, isSsn } from "./codes.ts";
import { isEmail } from "./email.ts";
import { isCidr, isHostname, isIpv4, isIpv6, isMac } from "./network.ts";
import { isDate, isDateTime, isDuration } from "./time.ts";
import { isRequestUri } from "./uri.ts";

/** Whether a text is of a format. */
export type Format = (text: string) => boolean;

/**
 * The check of a format, as kube-openapi's strfmt makes it, by a name written with or without dashes; undefined for one
 * that an API server of v1.36 does not know, which says nothing then (apiextensions, validation/formats.go).
 */
export function formatOf(name: string): Format | undefined {
  return formats.get(name.replaceAll("-", ""));
}

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const uuid3 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const uuid4 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i;
const uuid5 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i;
const bsonObjectId = /^[0-9a-f]{24}$/i;
const shortName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

const formats: ReadonlyMap<string, Format> = new Map<string, Format>([
  ["bsonobjectid", (text) => bsonObjectId.test(text)],
  ["uri", isRequestUri],
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
  ["duration", isDuration],
  ["datetime", isDateTime],
  ["k8sshortname", (text) => text.length <= 63 && shortName.test(text)],
  ["k8slongname", (text) => text.length <= 253 && text.split(".").every((part) => shortName.test(part))],
]);
