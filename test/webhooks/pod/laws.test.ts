import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diff, type PatchOperation } from "../../../src/admission/patch.ts";
import { equal } from "../../../src/json/equal.ts";
import { get, isArray, isObject, type JsonArray, type JsonObject } from "../../../src/json/json.ts";
import { type Injection, inject } from "../../../webhooks/core/pod/inject.ts";
import { matchSet } from "../../../webhooks/core/pod/match.ts";
import { SetIndex } from "../../../webhooks/core/pod/set-index.ts";
import { type PreparedSet, prepare } from "../../../webhooks/core/pod/sets.ts";
import { namespaces, pod, sidecarSet, sidecarSets } from "./drawn.ts";
import { creation, Shelf } from "./listers.ts";

function answer(object: JsonObject, sets: readonly JsonObject[]): Injection {
  return inject(object, creation({ sidecarSets: sets, namespaces }));
}

function listAt(object: JsonObject, key: string): JsonArray {
  const list = get(object, "spec", key);
  return isArray(list) ? list : [];
}

function namesAt(object: JsonObject, key: string): readonly string[] {
  return listAt(object, key).map((each) => String(get(each, "name")));
}

describe("on any pod and any SidecarSets, injection", () => {
  it("is deterministic, whatever the order of the SidecarSets", () => {
    const property = fc.property(pod, sidecarSets, (object, sets) => {
      const { explain: one, ...first } = answer(object, sets);
      const { explain: other, ...second } = answer(object, sets.toReversed());
      expect(second).toEqual(first);
      expect(other()).toEqual(one());
    });
    fc.assert(property);
  });

  it("leaves the pod's own parts unchanged and in place", () => {
    const property = fc.property(pod, sidecarSets, (object, sets) => {
      const copy = structuredClone(object);
      const result = answer(object, sets);
      expect(object).toEqual(copy);
      if (result.outcome !== "change") return;
      const sidecars = new Set(sets.flatMap(injectedNames));
      for (const key of ["containers", "initContainers"]) {
        const own = listAt(object, key).filter((each) => !sidecars.has(String(get(each, "name"))));
        const kept = listAt(result.object, key).filter((each) => own.includes(each));
        expect(kept).toEqual(own);
      }
      expect(listAt(result.object, "volumes").slice(0, listAt(object, "volumes").length)).toEqual(
        listAt(object, "volumes"),
      );
      const { spec, metadata, ...rest } = result.object;
      expect(rest).toEqual({ apiVersion: "v1", kind: "Pod" });
      expect(get(spec, "nodeName")).toEqual(get(object, "spec", "nodeName"));
      expect(get(metadata, "labels")).toBe(get(object, "metadata", "labels"));
    });
    fc.assert(property);
  });

  it("explains exactly the differences", () => {
    const property = fc.property(pod, sidecarSets, (object, sets) => {
      const result = answer(object, sets);
      if (result.outcome !== "change") return;
      const explained = new Set((result.explain().added ?? []).map(({ what }) => what.replace(/,.*$/, "")));
      for (const operation of diff(object, result.object, (path) =>
        path[0] === "spec" ? ["name"] : undefined,
      )) {
        for (const what of changedBy(operation, object, result.object)) expect(explained).toContain(what);
      }
      for (const what of explained) expect(present(what, result.object)).toBe(true);
    });
    fc.assert(property);
  });

  // A merge patch that was set with its nulls loses them the second time.
  it("is idempotent, unless a sidecar replaces a container or a merge patch has nulls", () => {
    const property = fc.property(pod, sidecarSets, (object, sets) => {
      const own = [...namesAt(object, "containers"), ...namesAt(object, "initContainers")];
      fc.pre(!JSON.stringify(sets).includes("null"));
      fc.pre(!sets.flatMap(injectedNames).some((name) => own.includes(name)));
      const once = answer(object, sets);
      if (once.outcome !== "change") return;
      // The API server rejects two containers of one name.
      for (const key of ["containers", "initContainers"]) {
        const names = namesAt(once.object, key);
        fc.pre(new Set(names).size === names.length);
      }
      const twice = answer(once.object, sets);
      expect(twice.outcome === "change" ? twice.object : once.object).toEqual(once.object);
    });
    fc.assert(property);
  });

  it("adds what each SidecarSet adds alone, in the documented order", () => {
    const property = fc.property(pod, sidecarSets, (object, sets) => {
      const result = answer(object, sets);
      const matching = result.explain().sets.filter(({ outcome }) => outcome === "matches");
      const bound = matching.map(({ name }) => {
        const set = sets.find((each) => get(each, "metadata", "name") === name);
        const selector = get(set, "spec", "namespaceSelector", "matchLabels");
        return isObject(selector) && Object.hasOwn(selector, "kubernetes.io/metadata.name");
      });
      const keys = matching.map(({ name }, index) => `${bound[index] ? 0 : 1} ${name}`);
      expect(keys).toEqual(keys.toSorted());
    });
    fc.assert(property);
  });
});

describe("the index", () => {
  it("finds what an evaluation of all SidecarSets finds, also after changes", () => {
    const step = fc
      .tuple(fc.constantFrom("s0", "s1", "s2", "s3"), fc.boolean())
      .chain(([name, stays]) => sidecarSet(name).map((object) => ({ name, object, stays })));
    const property = fc.property(fc.array(step, { maxLength: 12 }), pod, (steps, object) => {
      const index = new SetIndex(prepare);
      for (const { name, object: set, stays } of steps) {
        if (stays) index.put(set);
        else index.remove(name);
      }
      const context = {
        labels: get(object, "metadata", "labels"),
        namespace: "default",
        namespaces: new Shelf(namespaces),
        controllerRevisions: new Shelf(),
        revisionNamespace: "kruise-system",
        draw: () => 0,
      };
      const concerned = (sets: readonly PreparedSet[]) =>
        sets.filter((set) => matchSet(set, context).result !== "none").map(({ name }) => name);
      const candidates = index.candidates(context.labels, "default");
      expect(new Set(concerned(candidates))).toEqual(new Set(concerned(index.all())));
      expect(new Set(candidates).size).toBe(candidates.length);
    });
    fc.assert(property);
  });
});

/** The names of a SidecarSet's containers in a pod. */
function injectedNames(set: JsonObject): readonly string[] {
  return ["containers", "initContainers"].flatMap((key) =>
    namesAt(set, key).flatMap((name) => [name, `${name}-1`, `${name}-2`]),
  );
}

const sorts: Readonly<Record<string, string>> = {
  containers: "container",
  initContainers: "init container",
  volumes: "volume",
  imagePullSecrets: "imagePullSecret",
};

/** What a patch operation changes, in the words of an explanation. */
function changedBy(operation: PatchOperation, before: JsonObject, after: JsonObject): readonly string[] {
  const [, root, list = "", place] = operation.path.split("/");
  if (root === "metadata") {
    const keys = Object.entries(get(after, "metadata", "annotations") ?? {});
    const changed = keys.filter(([key, value]) => get(before, "metadata", "annotations", key) !== value);
    return changed.map(([key]) => `annotation ${key}`);
  }
  // Removing a duplicate secret adds nothing.
  if (operation.op === "remove" || (list === "imagePullSecrets" && place === undefined)) return [];
  const items = place === undefined ? listAt(after, list) : [listAt(after, list)[Number(place)] ?? null];
  const isNew = (name: string) =>
    !listAt(before, list).some(
      (each) => get(each, "name") === name && items.some((item) => equal(item, each)),
    );
  return items
    .map((each) => String(get(each, "name")))
    .filter(isNew)
    .map((name) => `${sorts[list]} ${name}`);
}

function present(what: string, object: JsonObject): boolean {
  const [, sort, name = ""] = /^(.*) ([^ ]+)$/.exec(what) ?? [];
  if (sort === "annotation") return get(object, "metadata", "annotations", name) !== undefined;
  const list = Object.keys(sorts).find((key) => sorts[key] === sort) ?? "";
  return namesAt(object, list).includes(name);
}
