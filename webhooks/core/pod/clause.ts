import { fieldOf, type JsonObject, type Path } from "antechamber";

/** Where in a SidecarSet something was asked for: what a plan gives as the reason of each of its parts. */
export interface Clause {
  readonly set: string;
  readonly path: Path;
}

/** A clause as a reader finds it: `SidecarSet log, spec.containers[0]`. */
export function printClause({ set, path }: Clause): string {
  return path.length === 0 ? `SidecarSet ${set}` : `SidecarSet ${set}, ${fieldOf(path)}`;
}

/** An object that a SidecarSet contributes to a pod: a volume, a secret. */
export interface Contribution {
  readonly name: string;
  readonly object: JsonObject;
  readonly clause: Clause;
}

/** Why a SidecarSet cannot be read, or cannot be injected into this pod: everybody's pods wait for whoever reads this. */
export interface Fault {
  /** Absent where it is the pod that is at fault. */
  readonly clause?: Clause;
  readonly sentence: string;
}

/** A fault as a refusal says it. */
export function printFault({ clause, sentence }: Fault): string {
  return clause === undefined ? sentence : `${printClause(clause)}: ${sentence}`;
}

/** Thrown where something is read, caught where the whole of it was to be read; never leaves this folder. */
export class Unreadable extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(printFault(fault));
    this.fault = fault;
  }
}
