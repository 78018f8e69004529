/** A feature gate of a kind: something of its behaviour that whoever serves it may switch. */
export interface Gate {
  readonly default: boolean;
  /** One sentence: what is different when it is open. */
  readonly meaning: string;
}

/** Whether each of a kind's gates is open: as it was given, else as the kind has it by default. */
export function openGates(
  gates: Readonly<Record<string, Gate>> = {},
  given: ReadonlyMap<string, boolean> = new Map(),
): Readonly<Record<string, boolean>> {
  return Object.fromEntries(
    Object.entries(gates).map(([name, gate]) => [name, given.get(name) ?? gate.default]),
  );
}
