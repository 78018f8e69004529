import { fitsInt64 } from "../../../go/numbers.ts";
import { CelError, Duration, Timestamp } from "./values.ts";

// cel-go common/types/timestamp.go: year 1 to 9999
const minSeconds = -62135596800n;
const maxSeconds = 253402300799n;

const timestampOverflow = new CelError("timestamp overflow");
const durationOverflow = new CelError("duration overflow");
const integerOverflow = new CelError("integer overflow");

/** A moment within the years that CEL supports, or an error. */
export function timestamp(seconds: bigint, nanos: number, offset = 0): Timestamp | CelError {
  if (seconds < minSeconds || seconds > maxSeconds) return timestampOverflow;
  return new Timestamp(seconds, nanos, offset);
}

/** A duration that int64 nanoseconds hold, or an error. */
export function duration(nanos: bigint): Duration | CelError {
  return fitsInt64(nanos) ? new Duration(nanos) : durationOverflow;
}

/** A moment with a duration added. */
export function addDuration(moment: Timestamp, { nanos }: Duration): Timestamp | CelError {
  const total = moment.seconds * 1_000_000_000n + BigInt(moment.nanos) + nanos;
  const seconds = floorDivide(total, 1_000_000_000n);
  return timestamp(seconds, Number(total - seconds * 1_000_000_000n), moment.offsetSeconds);
}

/** The time between two moments. */
export function subtractTimestamps(a: Timestamp, b: Timestamp): Duration | CelError {
  const nanos = (a.seconds - b.seconds) * 1_000_000_000n + BigInt(a.nanos - b.nanos);
  return fitsInt64(nanos) ? new Duration(nanos) : integerOverflow;
}

function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b < 0n ? quotient - 1n : quotient;
}
