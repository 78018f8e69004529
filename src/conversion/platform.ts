import { hash } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";

// All that the engine asks of its platform. In a browser `src/play/platform.ts` stands in its place.

/** A text compressed (DEFLATE, RFC 1951), in base64. */
export function deflated(text: string): string {
  return deflateRawSync(text).toString("base64");
}

/** The same text again, and how many bytes it has in UTF-8; undefined if it has more than that, or is damaged. */
export function inflated(
  packed: string,
  most: number,
): { readonly text: string; readonly bytes: number } | undefined {
  try {
    const bytes = inflateRawSync(Buffer.from(packed, "base64"), { maxOutputLength: most });
    return { text: bytes.toString(), bytes: bytes.length };
  } catch {
    return undefined;
  }
}

/** The SHA-256 of a text, in hexadecimal. */
export function digestOf(text: string): string {
  return hash("sha256", text);
}

/** How many bytes a text has in UTF-8. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text);
}

/** A text as UTF-8, in base64. */
export function inBase64(text: string): string {
  // Where every character is one byte, btoa spares a copy of the text as bytes.
  return Buffer.byteLength(text) === text.length ? btoa(text) : Buffer.from(text).toString("base64");
}
