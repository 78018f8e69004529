import type { Kind, Light, Lock } from "./cluster.ts";
import { type DeviceState, longestFade } from "./devices.ts";

/** What an object asks of its device. */
interface Wish {
  /** Undefined if the object asks for nothing. */
  readonly state: DeviceState | undefined;
  /** Milliseconds of the change. */
  readonly fade: number;
}

/** The devices of a kind. The bridge knows each by the kind and name of its object; a real one would read `spec.device`. */
export interface DeviceKind<Type> {
  readonly kind: Kind;
  /** The state of a device that was never used. */
  readonly initial: DeviceState;
  readonly wishOf: (object: Type) => Wish;
  /** A state in the fields of the kind's status. */
  readonly statusOf: (state: DeviceState) => object;
}

export const deviceOfLight: DeviceKind<Light> = {
  kind: "Light",
  initial: { brightness: 0 },
  wishOf: ({ spec: { brightness, transition } = {} }) => ({
    state: brightness === undefined ? undefined : { brightness },
    fade: Math.min(milliseconds(transition), longestFade),
  }),
  statusOf: ({ brightness }) => (brightness === undefined ? {} : { currentBrightness: brightness }),
};

export const deviceOfLock: DeviceKind<Lock> = {
  kind: "Lock",
  initial: { locked: false },
  wishOf: ({ spec: { desiredState } = {} }) => ({
    state: desiredState === undefined ? undefined : { locked: desiredState === "Locked" },
    fade: 0,
  }),
  statusOf: ({ locked }) => (locked === undefined ? {} : { currentState: locked ? "Locked" : "Unlocked" }),
};

const unitMilliseconds: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** The milliseconds of a Go duration, which the schema has checked; smaller units are too short for a light. */
export function milliseconds(duration: string | undefined): number {
  let sum = 0;
  for (const [, amount = "0", unit = ""] of (duration ?? "").matchAll(/(\d+(?:\.\d*)?|\.\d+)([a-zµμ]+)/g))
    sum += Number(amount) * (unitMilliseconds[unit] ?? 0);
  return sum;
}
