/** Joins the chunks of one body. */
export interface BodyBuffer {
  readonly add: (chunk: Buffer) => void;
  /** All chunks in one buffer. May be called once. */
  readonly whole: () => Buffer;
}

/**
 * Makes a buffer for a body of a declared length, or 0. The chunks of a long body of declared length are copied to their
 * place as they arrive: joining a hundred MiB at the end would block the event loop and need the memory twice. A client that
 * only declares a length gets no memory for it: that is allocated once a sixteenth of the body has arrived.
 */
export function createBodyBuffer(declared: number): BodyBuffer {
  let chunks: Buffer[] = [];
  let length = 0;
  let target: Buffer | undefined;
  return {
    add: (chunk) => {
      // Node's HTTP parser passes on no more than the declared length; if it did, no byte would be lost.
      if (target !== undefined && length + chunk.length > target.length) {
        chunks = [target.subarray(0, length)];
        target = undefined;
      }
      if (target === undefined) chunks.push(chunk);
      else chunk.copy(target, length);
      length += chunk.length;
      if (target === undefined && declared > longBody && length > declared / 16 && length < declared) {
        target = Buffer.allocUnsafeSlow(declared);
        Buffer.concat(chunks).copy(target);
        chunks = [];
      }
    },
    whole: () => {
      if (target !== undefined) return target.subarray(0, length);
      const joined = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
      chunks = [];
      return joined;
    },
  };
}

const longBody = 1024 * 1024;
