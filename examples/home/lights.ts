import type { LightV1 } from "../../webhooks/home/light/types.ts";
import type { LockV1 } from "../../webhooks/home/lock/types.ts";
import type { Applied, Stored } from "./cluster.ts";
import { type Readiness, readyCondition } from "./conditions.ts";
import type { Wish } from "./device-follower.ts";
import type { DeviceState } from "./devices.ts";

export type Light = Stored<LightV1>;
export type Lock = Stored<LockV1>;

/** What a Light asks of its device. */
export function wishOfLight(light: Light): Wish {
  const { brightness, transition, device } = light.spec ?? {};
  return {
    id: deviceId("light", light, device?.address && `${device.protocol ?? "any"}://${device.address}`),
    initial: { brightness: 0 },
    state: brightness === undefined ? undefined : { brightness },
    fade: milliseconds(transition),
  };
}

/** What a Lock asks of its device. */
export function wishOfLock(lock: Lock): Wish {
  const desired = lock.spec?.desiredState;
  const state = desired === undefined ? undefined : { locked: desired === "Locked" };
  return { id: deviceId("lock", lock, undefined), initial: { locked: false }, state, fade: 0 };
}

/** The address of a device, or the name of an object without one: a simulated device needs none. */
function deviceId(kind: string, { metadata }: Light | Lock, address: string | undefined): string {
  return `${kind} ${address || `${metadata.namespace}/${metadata.name}`}`;
}

/** The status of a Light; `state` is that of its device, undefined if it is not known. */
export function statusOfLight(
  light: Light,
  state: DeviceState | undefined,
  readiness: Readiness,
  now: Date,
): Applied {
  const known = state !== undefined && "brightness" in state ? { currentBrightness: state.brightness } : {};
  return withStatus("Light", light, { ...known, ...common(light, readiness, now) });
}

/** The status of a Lock. */
export function statusOfLock(
  lock: Lock,
  state: DeviceState | undefined,
  readiness: Readiness,
  now: Date,
): Applied {
  const current =
    state !== undefined && "locked" in state ? (state.locked ? "Locked" : "Unlocked") : undefined;
  return withStatus("Lock", lock, {
    ...(current !== undefined && { currentState: current }),
    ...common(lock, readiness, now),
  });
}

function common({ metadata, status }: Light | Lock, readiness: Readiness, now: Date): object {
  const { generation } = metadata;
  return {
    observedGeneration: generation,
    conditions: [readyCondition(readiness, { generation, conditions: status?.conditions, now })],
  };
}

function withStatus(kind: "Light" | "Lock", { metadata }: Light | Lock, status: object): Applied {
  return { kind, metadata: { name: metadata.name, namespace: metadata.namespace }, status };
}

const unitMilliseconds: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** The milliseconds of a Go duration, which the schema has checked; smaller units are too short for a light. */
export function milliseconds(duration: string | undefined): number {
  let sum = 0;
  for (const [, amount = "0", unit = ""] of (duration ?? "").matchAll(/(\d+(?:\.\d*)?|\.\d+)([a-zµμ]+)/g))
    sum += Number(amount) * (unitMilliseconds[unit] ?? 0);
  return sum;
}
