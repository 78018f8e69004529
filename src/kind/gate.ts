/** A feature gate of a kind: a part of its behaviour that the operator of the service may switch. */
export interface Gate {
  readonly default: boolean;
  /** One sentence: what is different if it is open. */
  readonly meaning: string;
}

/** Whether each of a kind's gates is open: as given, else by its default. */
export function openGates(
  gates: Readonly<Record<string, Gate>> = {},
  given: ReadonlyMap<string, boolean> = new Map(),
): Readonly<Record<string, boolean>> {
  return Object.fromEntries(
    Object.entries(gates).map(([name, gate]) => [name, given.get(name) ?? gate.default]),
  );
}
