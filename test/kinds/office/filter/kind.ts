import { defineKind, each, group, type Json, lens, version } from "antechamber";

/** A flag that an enum replaced: the old version still has both, and the newer field wins. On the object, and in items. */
const matchers = lens(
  group({
    older: { matchType: "spec.matchType", regex: "spec.regex" },
    newer: { matchType: "spec.matchType" },
    up: typeOf,
    down: ({ matchType }) => ({ matchType }),
    lossy: { regex: "the type says it", matchType: "it is what the flag says, if there is a flag alone" },
  }),
  each(
    "spec.named",
    "spec.named",
    group({
      older: { matchType: "matchType", regex: "regex" },
      newer: { matchType: "matchType" },
      up: typeOf,
      down: ({ matchType }) => ({ matchType }),
      lossy: { regex: "the type says it", matchType: "it is what the flag says, if there is a flag alone" },
    }),
  ),
);

interface Older {
  readonly matchType?: Json | undefined;
  readonly regex?: Json | undefined;
}

function typeOf({ matchType, regex }: Older) {
  if (matchType !== undefined || typeof regex !== "boolean") return { matchType };
  return { matchType: regex ? "=~" : "=" };
}

export default defineKind({
  group: "office.example.org",
  kind: "Filter",
  plural: "filters",
  scope: "Namespaced",
  versions: [version("v1beta1", matchers), version("v1")],
});
