import type { Cause, JsonObject, Path } from "antechamber";
import { duplicate, invalid, notSupported, required } from "../fault.ts";
import { integerAt, objectsAt, stringAt } from "../read.ts";
import { portNameFaults, rangeFaults } from "./names.ts";

/** Faults of a container's ports (`validateContainerPorts`). */
export function portFaults(container: JsonObject, path: Path): readonly Cause[] {
  const names = new Set<string>();
  return objectsAt(container, "ports").flatMap((port, index) => {
    const at = [...path, "ports", index];
    return [
      ...nameFaults(stringAt(port, "name"), names, [...at, "name"]),
      ...(integerAt(port, "containerPort") === 0n
        ? required([...at, "containerPort"])
        : numberFaults(port, "containerPort", at)),
      ...(integerAt(port, "hostPort") === 0n ? [] : numberFaults(port, "hostPort", at)),
      ...protocolFaults(stringAt(port, "protocol"), [...at, "protocol"]),
    ];
  });
}

/** Host ports that are used more than once (`checkHostPortConflicts`). */
export function hostPortFaults(
  containers: readonly (readonly [container: JsonObject, path: Path])[],
): readonly Cause[] {
  const taken = new Set<string>();
  return containers.flatMap(([container, path]) =>
    objectsAt(container, "ports").flatMap((port, index) => {
      const number = integerAt(port, "hostPort");
      const text = `${stringAt(port, "protocol")}/${stringAt(port, "hostIP")}/${number}`;
      if (number === 0n) return [];
      if (taken.has(text)) return duplicate([...path, "ports", index, "hostPort"], text);
      taken.add(text);
      return [];
    }),
  );
}

const protocols = ["SCTP", "TCP", "UDP"];

function nameFaults(name: string, names: Set<string>, path: Path): readonly Cause[] {
  if (name === "") return [];
  const details = portNameFaults(name);
  if (details.length > 0) return invalid(path, name, ...details);
  if (names.has(name)) return duplicate(path, name);
  names.add(name);
  return [];
}

function numberFaults(port: JsonObject, key: string, path: Path): readonly Cause[] {
  return invalid([...path, key], port[key], ...rangeFaults(integerAt(port, key), 1, 65535));
}

function protocolFaults(protocol: string, path: Path): readonly Cause[] {
  if (protocol === "") return required(path);
  return protocols.includes(protocol) ? [] : notSupported(path, protocol, protocols);
}
