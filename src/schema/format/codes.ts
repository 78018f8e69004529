// Numbers and codes, as kube-openapi's govalidator checks them.

/** Base64 in whole groups of four, of the standard alphabet; not the empty text. */
export function isByte(text: string): boolean {
  const body = /^[A-Za-z0-9+/]*(={0,2})$/.exec(text);
  return body !== null && text.length > 0 && text.length % 4 === 0;
}

/** `#ff00ff` or `#f0f`, with or without the hash. */
export function isHexColor(text: string): boolean {
  return /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text);
}

const channel = String.raw`[\t\n\f\r ]*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])[\t\n\f\r ]*`;
const color = new RegExp(`^rgb\\(${channel},${channel},${channel}\\)$`);

/** `rgb(255, 0, 255)`. */
export function isColor(text: string): boolean {
  return color.test(text);
}

const card =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;

/** A card number with anything between its digits, its check digit right (Luhn). */
export function isCreditCard(text: string): boolean {
  const digits = text.replaceAll(/[^0-9]+/g, "");
  if (!card.test(digits)) return false;
  let sum = 0;
  for (const [index, digit] of [...digits].reverse().entries()) {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
    sum += value >= 10 ? value - 9 : value;
  }
  return sum % 10 === 0;
}

/** `123-45-6789`, with both separators, since it must have eleven characters. */
export function isSsn(text: string): boolean {
  return text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text);
}

export function isIsbn10(text: string): boolean {
  const digits = text.replaceAll(/[\t\n\f\r -]+/g, "");
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  let sum = 0;
  for (const [index, digit] of [...digits].entries()) {
    sum += (digit === "X" ? 10 : Number(digit)) * (index + 1);
  }
  return sum % 11 === 0;
}

export function isIsbn13(text: string): boolean {
  const digits = text.replaceAll(/[\t\n\f\r -]+/g, "");
  if (!/^[0-9]{13}$/.test(digits)) return false;
  let sum = 0;
  for (const [index, digit] of [...digits].entries()) sum += Number(digit) * (index % 2 === 1 ? 3 : 1);
  return sum % 10 === 0;
}
