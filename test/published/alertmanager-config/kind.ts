import { defineKind, type Json, type Lens, lens, move, version } from "antechamber";
import { each, isText } from "../codecs.ts";

/** A matcher: whether its value is a regular expression, as a flag ↔ as a part of the type, which v1alpha1 has too. */
const matcher: Lens = {
  up: ({ regex, ...rest }) => {
    const matchType = rest.matchType ?? typeOf(regex);
    return matchType === undefined ? rest : { ...rest, matchType };
  },
  down: (newer) => (isText(newer.matchType) ? { ...newer, regex: newer.matchType.endsWith("~") } : newer),
};

function typeOf(regex: Json | undefined): string | undefined {
  if (typeof regex !== "boolean") return undefined;
  return regex ? "=~" : "=";
}

/** The lens from v1alpha1 to v1beta1. Fields of receivers that v1beta1 dropped need no row. */
const v1alpha1 = lens(
  move("spec.muteTimeIntervals", "spec.timeIntervals"),
  move("spec.route.matchers", "spec.route.matchers", each(matcher)),
  move(
    "spec.inhibitRules",
    "spec.inhibitRules",
    each(
      lens(
        move("sourceMatch", "sourceMatch", each(matcher)),
        move("targetMatch", "targetMatch", each(matcher)),
      ),
    ),
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
