import type { Cause, Json, JsonObject, Path } from "antechamber";
import { forbidden, invalid, notSupported, required } from "../fault.ts";
import { integerAt, objectAt, objectsAt, optionalIntegerAt, stringAt, stringsAt } from "../read.ts";
import { headerFaults, portNameFaults, rangeFaults } from "./names.ts";

/** Faults of a container's lifecycle hooks and probes (`validateLifecycle`, `validateProbe`). */
export function probeFaults(container: JsonObject, path: Path, grace: bigint | undefined): readonly Cause[] {
  const hooks = ["postStart", "preStop"].flatMap((key) => {
    const hook = objectAt(objectAt(container, "lifecycle"), key);
    return hook === undefined ? [] : handlerFaults(hook, [...path, "lifecycle", key], grace);
  });
  return [...hooks, ...probeKeys.flatMap((key) => oneProbeFaults(container, key, path))];
}

/** Lifecycle hooks and probes of a plain init container, which must not have any. */
export function probesForbidden(container: JsonObject, path: Path): readonly Cause[] {
  return ["lifecycle", ...probeKeys].flatMap((key) =>
    objectAt(container, key) === undefined
      ? []
      : forbidden([...path, key], "may not be set for init containers without restartPolicy=Always"),
  );
}

const probeKeys = ["livenessProbe", "readinessProbe", "startupProbe"] as const;
const counts = [
  "initialDelaySeconds",
  "timeoutSeconds",
  "periodSeconds",
  "successThreshold",
  "failureThreshold",
];

function oneProbeFaults(
  container: JsonObject,
  key: (typeof probeKeys)[number],
  path: Path,
): readonly Cause[] {
  const probe = objectAt(container, key);
  if (probe === undefined) return [];
  const at = [...path, key];
  const grace = optionalIntegerAt(probe, "terminationGracePeriodSeconds");
  const graceAt = [...at, "terminationGracePeriodSeconds"];
  const isReadiness = key === "readinessProbe";
  return [
    ...handlerFaults(probe, at),
    ...counts.flatMap((count) =>
      integerAt(probe, count) < 0n
        ? invalid([...at, count], probe[count], "must be greater than or equal to 0")
        : [],
    ),
    ...(grace !== undefined && grace <= 0n
      ? invalid(graceAt, probe.terminationGracePeriodSeconds, "must be greater than 0")
      : []),
    ...(!isReadiness && integerAt(probe, "successThreshold") !== 1n
      ? invalid([...at, "successThreshold"], probe.successThreshold ?? 0, "must be 1")
      : []),
    ...(isReadiness && grace !== undefined
      ? invalid(graceAt, probe.terminationGracePeriodSeconds, "must not be set for readinessProbes")
      : []),
  ];
}

type HandlerRule = (handler: JsonObject, path: Path, grace: bigint | undefined) => readonly Cause[];

const handlers: readonly (readonly [name: string, rule: HandlerRule])[] = [
  ["exec", (exec, path) => (stringsAt(exec, "command").length === 0 ? required([...path, "command"]) : [])],
  ["httpGet", httpGetFaults],
  ["tcpSocket", (socket, path) => portFaults(socket.port, [...path, "port"])],
  ["grpc", (grpc, path) => portFaults(grpc.port, [...path, "port"])],
  ["sleep", sleepFaults],
];

function handlerFaults(holder: JsonObject, path: Path, grace?: bigint): readonly Cause[] {
  const found = handlers.flatMap(([name, rule]) => {
    const handler = objectAt(holder, name);
    return handler === undefined ? [] : [{ name, rule, handler }];
  });
  if (found.length === 0) return required(path, "must specify a handler type");
  return found.flatMap(({ name, rule, handler }, index) =>
    index === 0
      ? rule(handler, [...path, name], grace)
      : forbidden([...path, name], "may not specify more than 1 handler type"),
  );
}

const schemes = ["HTTP", "HTTPS"];

function httpGetFaults(get: JsonObject, path: Path): readonly Cause[] {
  const scheme = stringAt(get, "scheme");
  return [
    ...(stringAt(get, "path") === "" ? required([...path, "path"]) : []),
    ...portFaults(get.port, [...path, "port"]),
    ...(schemes.includes(scheme) ? [] : notSupported([...path, "scheme"], scheme, schemes)),
    ...objectsAt(get, "httpHeaders").flatMap((header, index) => {
      const name = stringAt(header, "name");
      return invalid([...path, "httpHeaders", index, "name"], name, ...headerFaults(name));
    }),
  ];
}

/** A sleep ends within the pod's grace period, if that is known. */
function sleepFaults(sleep: JsonObject, path: Path, grace: bigint | undefined): readonly Cause[] {
  const seconds = integerAt(sleep, "seconds");
  if (grace === undefined || (seconds > 0n && seconds <= grace)) return [];
  const bounds = `must be greater than 0 and less than terminationGracePeriodSeconds (${grace})`;
  return invalid(
    [...path, "seconds"],
    sleep.seconds ?? 0,
    `${bounds}. Enable AllowPodLifecycleSleepActionZeroValue feature gate for zero sleep.`,
  );
}

function portFaults(port: Json | undefined, path: Path): readonly Cause[] {
  if (typeof port === "string") return invalid(path, port, ...portNameFaults(port));
  return invalid(path, port ?? 0, ...rangeFaults(integerAt({ port: port ?? 0 }, "port"), 1, 65535));
}
