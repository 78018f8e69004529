import { envelopes, keys, lists, values } from "./hostile-attacks.ts";
import { forgeries, pods, traces } from "./hostile-lasting.ts";
import type { Attack } from "./hostile-sending.ts";
import { storms } from "./hostile-storms.ts";

/** All attacks, in order. */
export const attacks: readonly Attack[] = [
  ...storms,
  ...envelopes,
  ...keys,
  ...values,
  ...lists,
  ...pods,
  ...forgeries,
  ...traces,
];

/** The attack with the given name. */
export function attackNamed(name: string): Attack | undefined {
  return attacks.find((attack) => attack.name === name);
}
