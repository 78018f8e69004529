import { containerFields, volume } from "./core-types.ts";
import { always, type GoType, strings, struct } from "./go-type.ts";

// The parts of a SidecarSet that enter hashes and revisions (OpenKruise v1.9.1, apis/apps/v1beta1/sidecarset_types.go).

const policy = struct({ type: "string" });
const amounts = struct({ cpu: "string", memory: "string" });

/** SidecarContainer: a core container with the fields that SidecarSets add. */
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
      envNames: strings,
    }),
  },
  resourcesPolicy: struct({
    targetContainersMode: always("string"),
    targetContainersNameRegex: "string",
    resourcesExpr: always(struct({ limits: amounts, requests: amounts })),
  }),
});

/** The fields of spec that revisions record, by name. */
export const recordedFields: Readonly<Record<string, GoType>> = {
  containers: { list: sidecarContainer },
  imagePullSecrets: { list: struct({ name: "string" }) },
  initContainers: { list: sidecarContainer },
  patchPodMetadata: { list: struct({ annotations: { map: "string" }, patchPolicy: "string" }) },
  volumes: { list: volume },
};
