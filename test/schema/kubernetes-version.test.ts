import { describe, expect, it } from "vitest";
import { kubernetesVersionOf, kubernetesVersions } from "../../src/schema/index.ts";
import { nearestKubernetes, newestKubernetes } from "../../src/schema/model/kubernetes-version.ts";
import { releases } from "../cluster/binaries.ts";

describe("the releases of Kubernetes that the engine follows", () => {
  it("are those that the tests have an API server of", () => {
    expect(kubernetesVersions).toEqual(releases);
    expect(kubernetesVersions.at(-1)).toBe(newestKubernetes);
  });

  it.each([
    ["1.36", "1.36"],
    ["v1.37", "1.37"],
    ["v1.36.3", "1.36"],
    ["1.35.0", undefined],
    ["1.3", undefined],
    ["1.37.x", undefined],
    ["", undefined],
  ])("are found by a name such as %o", (name, version) => {
    expect(kubernetesVersionOf(name)).toBe(version);
  });

  it.each([
    ["v1.36.3", "1.36"],
    ["v1.37.2", "1.37"],
    ["v1.37.0-eks-1a2b3c", "1.37"],
    ["v1.36.1+k3s1", "1.36"],
    ["v1.29.0", "1.36"],
    ["v1.38.0-alpha.1", "1.37"],
    ["v2.0.0", "1.37"],
    ["v1.9.9", "1.36"],
    ["unknown", "1.36"],
  ])("that is nearest to a cluster of %s is v%s", (gitVersion, version) => {
    expect(nearestKubernetes(gitVersion)).toBe(version);
  });
});
