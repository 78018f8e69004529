import { defineKind, each, group, lens, move, table, version } from "antechamber";

const typeOfFlag = table([true, "=~"], [false, "="]);

/** A matcher: whether its value is a regular expression, as a flag ↔ as a part of the type, which v1alpha1 has too. */
const matcher = group({
  older: { type: "matchType", regex: "regex" },
  newer: { type: "matchType" },
  up: ({ type, regex }) => ({ type: type ?? typeOfFlag.up(regex) }),
  down: ({ type }) => ({ type, regex: typeof type === "string" ? type.endsWith("~") : undefined }),
  lossy: { type: "a type that contradicts the flag", regex: "the type says it, if there is one" },
});

/** The lens from v1alpha1 to v1beta1. Fields of receivers that v1beta1 dropped need no row. */
const v1alpha1 = lens(
  move("spec.muteTimeIntervals", "spec.timeIntervals"),
  each("spec.route.matchers", "spec.route.matchers", matcher),
  each(
    "spec.inhibitRules",
    "spec.inhibitRules",
    each("sourceMatch", "sourceMatch", matcher),
    each("targetMatch", "targetMatch", matcher),
  ),
);

/** The AlertmanagerConfig of Prometheus Operator: nearly everything in it stands in atomic lists of objects. */
export default defineKind({
  group: "monitoring.coreos.com",
  kind: "AlertmanagerConfig",
  plural: "alertmanagerconfigs",
  scope: "Namespaced",
  versions: [version("v1alpha1", v1alpha1), version("v1beta1")],
});
