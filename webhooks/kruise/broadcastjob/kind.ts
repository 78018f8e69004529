import { defineKind, version } from "antechamber";
import { templateGate } from "../shared/template.ts";
import { defaultBroadcastJob } from "./default.ts";
import { v1alpha1 } from "./v1alpha1.ts";
import { validateBroadcastJob } from "./validate.ts";

export default defineKind({
  group: "apps.kruise.io",
  kind: "BroadcastJob",
  plural: "broadcastjobs",
  shortNames: ["bcj"],
  scope: "Namespaced",
  versions: [version("v1alpha1", v1alpha1), version("v1beta1")],
  gates: templateGate,
  default: defaultBroadcastJob,
  validate: validateBroadcastJob,
});
