/** The releases of Kubernetes whose API servers the engine follows, oldest first. */
export const kubernetesVersions = ["1.36", "1.37"] as const;

/** A minor release of Kubernetes. */
export type KubernetesVersion = (typeof kubernetesVersions)[number];

/** The release that the engine follows by default. */
export const newestKubernetes: KubernetesVersion = "1.37";

/** The release of a name such as `1.36` or `v1.36.3`; undefined if the engine does not follow it. */
export function kubernetesVersionOf(name: string): KubernetesVersion | undefined {
  const minor = /^v?(\d+\.\d+)(?:\.\d+)?$/.exec(name)?.[1];
  return kubernetesVersions.find((each) => each === minor);
}

/** The release that the engine follows for an API server, which may be older than the oldest or newer than the newest. */
export function nearestKubernetes(gitVersion: string): KubernetesVersion {
  const [, major = 0, minor = 0] = (/^v?(\d+)\.(\d+)/.exec(gitVersion) ?? []).map(Number);
  const isReached = (each: KubernetesVersion) => {
    const [eachMajor = 0, eachMinor = 0] = each.split(".").map(Number);
    return major > eachMajor || (major === eachMajor && minor >= eachMinor);
  };
  return kubernetesVersions.findLast(isReached) ?? kubernetesVersions[0];
}

/** Whether a release is another one, or newer. */
export function isSince(version: KubernetesVersion, since: KubernetesVersion): boolean {
  return kubernetesVersions.indexOf(version) >= kubernetesVersions.indexOf(since);
}
