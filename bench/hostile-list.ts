import { envelopes, keys, lists, values } from "./hostile-attacks.ts";
import type { Attack } from "./hostile-sending.ts";

/** All attacks, in the order in which they are made. */
export const attacks: readonly Attack[] = [...envelopes, ...keys, ...values, ...lists];

export function attackNamed(name: string): Attack | undefined {
  return attacks.find((attack) => attack.name === name);
}
