/** More than a text may have. */
export class TooLarge extends Error {
  override readonly name = "TooLarge";
}

const maxBytes = 64 * 1024 * 1024;

/**
 * The text of a stream, which may be a pipe or a device that never ends. Throws TooLarge beyond 64 MiB, TypeError if it is not
 * UTF-8, and the error of the stream.
 */
export async function readLimited(stream: AsyncIterable<string | Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    const read = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    bytes += read.length;
    if (bytes > maxBytes) throw new TooLarge("larger than 64 MiB");
    chunks.push(read);
  }
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
}
