import { type Cause, get, type JsonObject, type Path } from "antechamber";
import { forbidden } from "../fault.ts";
import { objectAt, optionalStringAt, stringAt } from "../read.ts";
import { listed } from "./containers.ts";
import { appArmor, seccomp } from "./template-metadata.ts";

/** Faults of profiles that an annotation of old releases and a field name differently (k8s.io/kubernetes v1.32). */
export function oldProfileFaults(template: JsonObject, path: Path): readonly Cause[] {
  const pod = objectAt(template, "spec") ?? {};
  const annotations = objectAt(objectAt(template, "metadata"), "annotations");
  const containers = ["initContainers", "containers"].flatMap((list) => listed(pod, list, path));
  const ofPod = objectAt(pod, "securityContext");
  const at = [...path, "securityContext", "seccompProfile"];
  const isWindows = get(pod, "os", "name") === "windows";
  return [
    ...matchFaults(
      optionalStringAt(annotations, seccomp.pod),
      objectAt(ofPod, "seccompProfile"),
      seccompWords,
      at,
    ),
    ...containers.flatMap(([container, place]) => {
      const profile = objectAt(objectAt(container, "securityContext"), "seccompProfile");
      const annotation = optionalStringAt(annotations, seccomp.container + stringAt(container, "name"));
      return matchFaults(annotation, profile, seccompWords, [...place, "securityContext", "seccompProfile"]);
    }),
    ...(isWindows ? [] : containers).flatMap(([container, place]) => {
      const own = objectAt(objectAt(container, "securityContext"), "appArmorProfile");
      const annotation = optionalStringAt(annotations, appArmor.container + stringAt(container, "name"));
      const profile = own ?? objectAt(ofPod, "appArmorProfile");
      return matchFaults(annotation, profile, appArmorWords, [
        ...place,
        "securityContext",
        "appArmorProfile",
      ]);
    }),
  ];
}

interface Words {
  readonly name: string;
  readonly runtime: readonly string[];
}

const seccompWords: Words = { name: "seccomp", runtime: ["runtime/default", "docker/default"] };
const appArmorWords: Words = { name: "apparmor", runtime: ["runtime/default"] };

function matchFaults(
  annotation: string | undefined,
  profile: JsonObject | undefined,
  { name, runtime }: Words,
  path: Path,
): readonly Cause[] {
  if (annotation === undefined || profile === undefined) return [];
  const type = forbidden([...path, "type"], `${name} type in annotation and field must match`);
  switch (stringAt(profile, "type")) {
    case "Unconfined":
      return annotation === "unconfined" ? [] : type;
    case "RuntimeDefault":
      return runtime.includes(annotation) ? [] : type;
    case "Localhost":
      if (!annotation.startsWith("localhost/")) return type;
      return annotation === `localhost/${optionalStringAt(profile, "localhostProfile")}`
        ? []
        : forbidden([...path, "localhostProfile"], `${name} profile in annotation and field must match`);
    default:
      return [];
  }
}
