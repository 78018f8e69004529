import { quote } from "antechamber/go";

/** What Go's strconv.Atoi makes of a text: a number, or its message. */
export function atoi(text: string): bigint | string {
  const fault = (why: string) => `strconv.Atoi: parsing ${quote(text)}: ${why}`;
  if (!/^[+-]?[0-9]+$/.test(text)) return fault("invalid syntax");
  // More digits than that are beyond 64 bits, and take long to be read.
  const digits = text.replace(/^\+/, "").replace(/^(-?)0+(?=[0-9])/, "$1");
  if (digits.length > 20) return fault("value out of range");
  const value = BigInt(digits);
  return BigInt.asIntN(64, value) === value ? value : fault("value out of range");
}
