import { type Codec, group, type Json, type JsonObject, label, lens, move } from "antechamber";
import { customVersionLabel, namespaceNameLabel } from "../shared/names.ts";

/** An empty version is none. */
const customVersion: Codec<string, string> = {
  up: nonEmpty,
  down: nonEmpty,
  lossy: "a version that cannot be a label leaves the label as it is",
};

/** The lens from v1alpha1 of a SidecarSet to v1beta1. */
export const v1alpha1 = lens(
  // A namespace becomes a selector of its name. As in OpenKruise (apis/apps/v1alpha1/sidecarset_conversion.go) it takes
  // precedence over a selector, and no selector becomes a namespace again; the engine keeps what is lost that way.
  group({
    older: { namespace: "spec.namespace", selector: "spec.namespaceSelector" },
    newer: { selector: "spec.namespaceSelector" },
    up: ({ namespace, selector }) => ({ selector: selectorOfName(namespace) ?? selector }),
    down: ({ selector }) => ({ selector }),
    lossy: {
      namespace: "v1beta1 has a selector of its name instead",
      selector: "it is that of the namespace, if the older object has one",
    },
  }),
  move(label(customVersionLabel), "spec.customVersion", customVersion),
);

function selectorOfName(namespace: Json | undefined): JsonObject | undefined {
  const name = nonEmpty(namespace);
  return name === undefined ? undefined : { matchLabels: { [namespaceNameLabel]: name } };
}

function nonEmpty(value: Json | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
