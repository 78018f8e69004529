import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { deflateSync, inflateSync } from "fflate";

// What `src/conversion/platform.ts` asks of Node.js, for a browser. The bundler puts this file in the place of that one.

export { byteLength } from "../go/text.ts";

/** A text compressed (DEFLATE, RFC 1951), in base64. */
export function deflated(text: string): string {
  return toBase64(deflateSync(utf8ToBytes(text)));
}

/** The same text again, and how many bytes it has in UTF-8; undefined if it has more than that, or is damaged. */
export function inflated(
  packed: string,
  most: number,
): { readonly text: string; readonly bytes: number } | undefined {
  try {
    // With a place of its own, fflate takes no more memory than that: a byte too many says that there was no end.
    const bytes = inflateSync(fromBase64(packed), { out: new Uint8Array(most + 1) });
    return bytes.length > most ? undefined : { text: new TextDecoder().decode(bytes), bytes: bytes.length };
  } catch {
    return undefined;
  }
}

/** The SHA-256 of a text, in hexadecimal. */
export function digestOf(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

/** A text as UTF-8, in base64. */
export function inBase64(text: string): string {
  return toBase64(utf8ToBytes(text));
}

function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (each) => String.fromCharCode(each)).join(""));
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
}
