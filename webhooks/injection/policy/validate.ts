import { type Cause, type Findings, get, type JsonObject, type Path } from "antechamber";
import { labelKeyFaults, selectorFaults } from "antechamber/apimachinery";
import { podFaults } from "../../kruise/shared/core/containers.ts";
import { forbidden, invalid, wrongType } from "../../kruise/shared/fault.ts";
import { typeFaults } from "../../kruise/shared/go-type.ts";
import { objectAt, objectsAt, stringAt } from "../../kruise/shared/read.ts";
import { recordedFields } from "../../kruise/shared/recorded-types.ts";
import { sidecarFaults } from "../../kruise/sidecarset/sidecar-rules.ts";
import { readValues } from "./values.ts";

const listed = ["initContainers", "containers", "volumes", "imagePullSecrets"];

/**
 * What is wrong with a policy beyond its schema: selectors, keys, values, and everything that Kubernetes v1.32 would find
 * wrong with a pod of its containers and volumes, as for a SidecarSet.
 */
export function validatePolicy(policy: JsonObject): Findings {
  const spec = objectAt(policy, "spec") ?? {};
  // The schema leaves containers and volumes open: values of a wrong type hide all other faults.
  const wrongTypes = wrongTypeFaults(spec);
  if (wrongTypes.length > 0) return { causes: wrongTypes };
  return {
    causes: [
      ...matchFaults(objectAt(spec, "match")),
      ...switchFaults(objectAt(spec, "switch")),
      ...containerFaults(spec),
      ...appFaults(spec),
      ...readValues(spec).faults.flatMap(({ path, value, message }) => invalid(path, value, message)),
    ],
  };
}

function wrongTypeFaults(spec: JsonObject): readonly Cause[] {
  const faults = [
    ...listed.flatMap((field) => {
      const type = recordedFields[field];
      return type === undefined ? [] : typeFaults(type, get(spec, field), ["spec", field]);
    }),
    ...typeFaults(recordedFields.containers ?? "string", [appContainer(spec)], []).map(
      ({ path, expected }) => ({
        path: ["spec", "app", ...path.slice(1)],
        expected,
      }),
    ),
  ];
  return faults.flatMap(({ path, expected }) => wrongType(path, expected));
}

function matchFaults(match: JsonObject | undefined): readonly Cause[] {
  const at: Path = ["spec", "match"];
  return [
    ...selectorFaults(get(match, "selector"), [...at, "selector"]),
    ...selectorFaults(get(match, "namespaceSelector"), [...at, "namespaceSelector"]),
    ...objectsAt(match, "annotations").flatMap((each, index) =>
      keyFaults(stringAt(each, "key").toLowerCase(), [...at, "annotations", index, "key"]),
    ),
  ];
}

function switchFaults(found: JsonObject | undefined): readonly Cause[] {
  const at: Path = ["spec", "switch"];
  return [
    ...["label", "annotation", "namespaceLabel", "namespaceAnnotation"].flatMap((key) => {
      const name = stringAt(found, key);
      return name === ""
        ? []
        : keyFaults(key.endsWith("nnotation") ? name.toLowerCase() : name, [...at, key]);
    }),
    ...["never", "always"].flatMap((key) =>
      objectsAt(found, key).flatMap((selector, index) => selectorFaults(selector, [...at, key, index])),
    ),
  ];
}

function keyFaults(key: string, path: Path): readonly Cause[] {
  return invalid(path, key, ...labelKeyFaults(key));
}

function containerFaults(spec: JsonObject): readonly Cause[] {
  const updated = ["initContainers", "containers"].flatMap((list) =>
    objectsAt(spec, list).flatMap((container, index) =>
      get(container, "upgradeStrategy") === undefined
        ? []
        : forbidden(
            ["spec", list, index, "upgradeStrategy"],
            "running pods are not updated by an InjectionPolicy",
          ),
    ),
  );
  return [...updated, ...sidecarFaults(spec), ...podFaults(spec)];
}

/** The faults of what is added to the pod's own containers: those of a container that has nothing else. */
function appFaults(spec: JsonObject): readonly Cause[] {
  if (objectAt(spec, "app") === undefined) return [];
  const causes = podFaults({ volumes: spec.volumes ?? [], containers: [appContainer(spec)] });
  return causes.flatMap((cause) =>
    cause.path[1] === "containers" ? [{ ...cause, path: ["spec", "app", ...cause.path.slice(3)] }] : [],
  );
}

function appContainer(spec: JsonObject): JsonObject {
  const { env, volumeMounts } = objectAt(spec, "app") ?? {};
  return {
    name: "app",
    image: "app",
    terminationMessagePolicy: "File",
    imagePullPolicy: "Always",
    env: env ?? [],
    volumeMounts: volumeMounts ?? [],
  };
}
