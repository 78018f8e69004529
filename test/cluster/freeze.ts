import { expect, vi } from "vitest";
import { group } from "./home.ts";
import { expectOk, pathOf } from "./kinds.ts";
import type { ApiServer } from "./server.ts";

/** Has the API server reject every update of one object of a home kind. */
export async function freeze(
  server: ApiServer,
  plural: string,
  name: string,
): Promise<{ readonly remove: () => Promise<void> }> {
  const api = "/apis/admissionregistration.k8s.io/v1";
  const rule = { apiGroups: [group], apiVersions: ["*"], operations: ["UPDATE"], resources: [plural] };
  const policy = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: "frozen" },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: `object.metadata.name != "${name}"`, message: "this one is frozen" }],
    },
  };
  const binding = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name: "frozen" },
    spec: { policyName: "frozen", validationActions: ["Deny"] },
  };
  await expectOk(server.request("POST", `${api}/validatingadmissionpolicies`, { body: policy }));
  await expectOk(server.request("POST", `${api}/validatingadmissionpolicybindings`, { body: binding }));
  const write = () => server.request("PATCH", `${pathOf(plural, "v1", name)}?dryRun=All`, { body: {} });
  await vi.waitFor(async () => expect((await write()).status).toBe(422), { timeout: 15_000 });
  return {
    async remove() {
      await expectOk(server.request("DELETE", `${api}/validatingadmissionpolicybindings/frozen`));
      await expectOk(server.request("DELETE", `${api}/validatingadmissionpolicies/frozen`));
      await vi.waitFor(async () => expect((await write()).status).toBe(200), { timeout: 15_000 });
    },
  };
}
