import { defineKind, version } from "antechamber";
import { defaultPolicy } from "./default.ts";
import { v1alpha1 } from "./v1alpha1.ts";
import { validatePolicy } from "./validate.ts";

export default defineKind({
  group: "injection.antechamber.dev",
  kind: "InjectionPolicy",
  plural: "injectionpolicies",
  scope: "Cluster",
  versions: [version("v1alpha1", v1alpha1), version("v1beta1")],
  default: defaultPolicy,
  validate: validatePolicy,
});
