/** Gathers the chunks of a body, whose length may have been declared. */
export interface Gathering {
  readonly add: (chunk: Buffer) => void;
  /** Everything that was added, in one piece. Asked for once. */
  readonly whole: () => Buffer;
}

/**
 * Gathers chunks. A long body that said its length is put in its place as it comes: to join a hundred MiB at its end
 * would hold everybody up, and need them twice. Nobody gets room for what he only says: a sixteenth must have come.
 */
export function gather(declared: number): Gathering {
  let chunks: Buffer[] = [];
  let length = 0;
  let place: Buffer | undefined;
  return {
    add: (chunk) => {
      // More than was said: the parser of HTTP lets none through, and if one did, nothing may be lost.
      if (place !== undefined && length + chunk.length > place.length) {
        chunks = [place.subarray(0, length)];
        place = undefined;
      }
      if (place === undefined) chunks.push(chunk);
      else chunk.copy(place, length);
      length += chunk.length;
      if (place === undefined && declared > longBody && length > declared / 16 && length < declared) {
        place = Buffer.allocUnsafeSlow(declared);
        Buffer.concat(chunks).copy(place);
        chunks = [];
      }
    },
    whole: () => {
      if (place !== undefined) return place.subarray(0, length);
      const joined = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
      chunks = [];
      return joined;
    },
  };
}

const longBody = 1024 * 1024;
