import { defineKind, get, group, isArray, type Json, lens, version } from "antechamber";

/** One list without keys that became two: the target of a hop decides to which it belongs. */
const split = lens(
  group({
    older: { hops: "spec.hops" },
    newer: { inner: "spec.inner", outer: "spec.outer" },
    up: ({ hops }) => ({ inner: some(hops, isInner), outer: some(hops, (hop) => !isInner(hop)) }),
    down: ({ inner, outer }) => ({
      hops:
        isArray(inner) || isArray(outer)
          ? [...(some(inner, isInner) ?? []), ...(some(outer, (hop) => !isInner(hop)) ?? [])]
          : undefined,
    }),
    shared: ["spec.inner", "spec.outer"],
    lossy: "two lists have no order between them, and each has hops of its own sort alone",
  }),
);

function isInner(hop: Json): boolean {
  const to = get(hop, "to");
  return typeof to === "string" && to.startsWith("in/");
}

function some(hops: Json | undefined, which: (hop: Json) => boolean): readonly Json[] | undefined {
  return isArray(hops) ? hops.filter(which) : undefined;
}

export default defineKind({
  group: "garden.example.org",
  kind: "Route",
  plural: "routes",
  scope: "Cluster",
  versions: [version("v1beta1", split), version("v1")],
});
