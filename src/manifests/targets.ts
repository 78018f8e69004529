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
export function bundleTargets({ all, natives }: Kinds, name: string): readonly BundleTarget[] {
  const converted = all.filter(({ versions }) => versions.length > 1);
  return [
    ...converted.map((kind) => ({ kind: "CustomResourceDefinition" as const, name: crdName(kind) })),
    { kind: "MutatingWebhookConfiguration", name },
    { kind: "ValidatingWebhookConfiguration", name },
    ...natives.map(({ definition }) => ({
      kind: "MutatingWebhookConfiguration" as const,
      name: `${name}-${definition.plural}`,
    })),
  ];
}
