import { fieldOf, type JsonObject, type Path } from "antechamber";

/** The field of a SidecarSet or InjectionPolicy that asks for something: the reason that a plan gives for each of its parts. */
export interface Clause {
  /** The name of the object. */
  readonly set: string;
  /** Absent for a SidecarSet. */
  readonly kind?: "InjectionPolicy";
  readonly path: Path;
}

/** A clause as text: `SidecarSet log, spec.containers[0]`. */
export function printClause(clause: Clause): string {
  const owner = printOwner(clause);
  return clause.path.length === 0 ? owner : `${owner}, ${fieldOf(clause.path)}`;
}

/** The object of a clause as text: `SidecarSet log`. */
export function printOwner({ kind, set }: Clause): string {
  return `${kind ?? "SidecarSet"} ${set}`;
}

/** An object that a SidecarSet or InjectionPolicy contributes to a pod: a volume, a secret. */
export interface Contribution {
  readonly name: string;
  readonly object: JsonObject;
  readonly clause: Clause;
}

/** Why a SidecarSet cannot be read, or cannot be injected into this pod. */
export interface Fault {
  /** Absent if the pod itself is at fault. */
  readonly clause?: Clause;
  readonly message: string;
}

/** A fault as the message of a rejection. */
export function printFault({ clause, message }: Fault): string {
  return clause === undefined ? message : `${printClause(clause)}: ${message}`;
}

/** Thrown while a SidecarSet is read and caught by `preparedContent`; never leaves this folder. */
export class Unreadable extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(printFault(fault));
    this.fault = fault;
  }
}
