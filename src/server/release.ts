/**
 * Frees the memory of bytes that nothing reads any more. V8 frees it with the next garbage collection, which a thread that
 * allocates little else does not do for minutes: the bytes of the last large review, and of its answer, would stay until then.
 */
export function release({ buffer }: Uint8Array<ArrayBuffer>): void {
  buffer.transfer(0);
}
