import type { Kinds } from "../kind/kind.ts";
import { crdName } from "./crd.ts";

/** An object that names our Service, and the CA that API servers trust there. */
export interface BundleTarget {
  readonly kind:
    | "CustomResourceDefinition"
    | "MutatingWebhookConfiguration"
    | "ValidatingWebhookConfiguration";
  readonly name: string;
}

/** Every CRD with a conversion webhook, and every webhook configuration of the given name. */
export function bundleTargets(kinds: Kinds, name: string): readonly BundleTarget[] {
  return [...targetsOfKinds(kinds, name), ...(kinds.all.length === 0 ? [] : sharedTargets(name))];
}

/** The configurations that the custom kinds of an installation share. */
export function sharedTargets(name: string): readonly BundleTarget[] {
  return [
    { kind: "MutatingWebhookConfiguration", name },
    { kind: "ValidatingWebhookConfiguration", name },
  ];
}

/** What each kind has for itself: its CRD, if it has a conversion webhook, or the configuration of a native kind. */
export function targetsOfKinds({ all, natives }: Kinds, name: string): readonly BundleTarget[] {
  const converted = all.filter(({ versions }) => versions.length > 1);
  return [
    ...converted.map((kind) => ({ kind: "CustomResourceDefinition" as const, name: crdName(kind) })),
    ...natives.map(({ definition }) => ({
      kind: "MutatingWebhookConfiguration" as const,
      name: `${name}-${definition.plural}`,
    })),
  ];
}
