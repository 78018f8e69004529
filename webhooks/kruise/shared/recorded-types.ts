import { containerFields, volume } from "./core-types.ts";
import { always, type GoType, struct, texts } from "./go-type.ts";

// What Kruise v1.9.1 (apis/apps/v1beta1, sidecarset_types.go) records of a SidecarSet, in hashes and in revisions.

const policy = struct({ type: "string" });
const amounts = struct({ cpu: "string", memory: "string" });

/** A container with what SidecarSets say beside. */
export const sidecarContainer: GoType = struct({
  ...containerFields,
  podInjectPolicy: "string",
  upgradeStrategy: always(struct({ upgradeType: "string", hotUpgradeEmptyImage: "string" })),
  shareVolumePolicy: always(policy),
  shareVolumeDevicePolicy: policy,
  transferEnv: {
    list: struct({
      sourceContainerName: "string",
      sourceContainerNameFrom: struct({
        fieldRef: struct({ apiVersion: "string", fieldPath: always("string") }),
      }),
      envName: "string",
      envNames: texts,
    }),
  },
  resourcesPolicy: struct({
    targetContainersMode: always("string"),
    targetContainersNameRegex: "string",
    resourcesExpr: always(struct({ limits: amounts, requests: amounts })),
  }),
});

/** The members of spec that revisions record, by name. */
export const recordedFields: Readonly<Record<string, GoType>> = {
  containers: { list: sidecarContainer },
  imagePullSecrets: { list: struct({ name: "string" }) },
  initContainers: { list: sidecarContainer },
  patchPodMetadata: { list: struct({ annotations: { map: "string" }, patchPolicy: "string" }) },
  volumes: { list: volume },
};
