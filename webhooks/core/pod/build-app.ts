import { isArray, isObject, type JsonObject, own } from "antechamber";
import { stringAt } from "../../kruise/shared/read.ts";
import type { AppAddition, Content } from "./content.ts";
import type { PlannedApp, PlannedContainer } from "./planned.ts";
import { isInjected, type PodView } from "./pod-view.ts";

/** What InjectionPolicies add to the pod's own containers, in order. Names and paths that a container has stay as they are. */
export function buildApp(
  contents: readonly Content[],
  pod: PodView,
  planned: { readonly [List in PlannedApp["list"]]: readonly PlannedContainer[] },
): readonly PlannedApp[] {
  const additions = contents.flatMap(({ app }) => (app === undefined ? [] : [app]));
  if (additions.length === 0) return [];
  return (["initContainers", "containers"] as const).flatMap((list) => {
    const replaced = new Set(planned[list].map(({ position }) => position));
    const concerned = additions.filter((each) => list === "containers" || each.isForInitContainers);
    return objectsAt(pod.pod, list).flatMap((container, index) =>
      container === undefined || replaced.has(index) || isInjected(container)
        ? []
        : additionsTo(container, concerned).map((each) => ({
            ...each,
            list,
            index,
            container: stringAt(container, "name"),
          })),
    );
  });
}

function additionsTo(container: JsonObject, additions: readonly AppAddition[]) {
  const names = takenIn(container, "env", "name");
  const paths = takenIn(container, "volumeMounts", "mountPath");
  return additions.flatMap(({ clause, env, volumeMounts }) => {
    const free = {
      env: env.filter((each) => isNew(names, stringAt(each, "name"))),
      volumeMounts: volumeMounts.filter((each) => isNew(paths, stringAt(each, "mountPath"))),
    };
    return free.env.length + free.volumeMounts.length === 0 ? [] : [{ ...free, clause }];
  });
}

function takenIn(container: JsonObject, list: string, key: string): Set<string> {
  const items = own(container, list);
  return new Set(isArray(items) ? items.map((each) => stringAt(each, key)) : []);
}

function isNew(taken: Set<string>, text: string): boolean {
  return !taken.has(text) && taken.add(text).size > 0;
}

/** The items of a list at their indexes; undefined for those that are not objects. */
function objectsAt(pod: JsonObject, key: string): readonly (JsonObject | undefined)[] {
  const list = own(own(pod, "spec"), key);
  return isArray(list) ? list.map((each) => (isObject(each) ? each : undefined)) : [];
}
