import { parseJson, writeJson } from "../../json/exact.ts";
import type { Json } from "../../json/json.ts";
import type { LensCall } from "../../laws/traced.ts";

/**
 * Memory that the thread that tests laws shares with the one that watches it, since a thread that does not come back sends no messages:
 * a count of cases begun and ended, and the call of the kind's own code that is going on.
 */
export type Watch = SharedArrayBuffer;

const bytes = 1 << 18;
const [beatsAt, lengthAt, textAt] = [0, 1, 8] as const;

/** Memory for one thread. */
export function newWatch(): Watch {
  return new SharedArrayBuffer(bytes);
}

/** Notes that a case begins or ends. */
export function noteCase(watch: Watch): void {
  Atomics.add(new Int32Array(watch), beatsAt, 1);
}

/** Notes the call that begins, without its object if that is too long; or that none goes on. */
export function noteCall(watch: Watch, call: LensCall | undefined): void {
  const text = call === undefined ? "" : fitting(call);
  Buffer.from(watch, textAt).write(text);
  Atomics.store(new Int32Array(watch), lengthAt, Buffer.byteLength(text));
}

function fitting(call: LensCall): string {
  const [whole, short] = [call, { ...call, object: {} }].map((each) => writeJson(each as unknown as Json));
  return Buffer.byteLength(whole ?? "") <= bytes - textAt ? (whole ?? "") : (short ?? "");
}

/** What the watched thread does. */
interface Watched {
  /** Cases begun and ended so far: odd while one goes on. */
  readonly beats: number;
  readonly call?: LensCall;
}

/** What was noted last. */
export function readWatch(watch: Watch): Watched {
  const numbers = new Int32Array(watch);
  const [beats, length] = [Atomics.load(numbers, beatsAt), Atomics.load(numbers, lengthAt)];
  if (length === 0) return { beats };
  const text = Buffer.from(Buffer.from(watch, textAt, length)).toString();
  return { beats, call: parseJson(text) as unknown as LensCall };
}
