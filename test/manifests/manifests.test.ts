import { expect, it } from "vitest";
import { manifests } from "../../src/cli/manifests/run.ts";
import { get, isArray, type JsonObject } from "../../src/json/json.ts";
import { documentOf, documentsOf, house, usual } from "./house.ts";

const crds = ["rooms", "lights", "locks"].map((plural) => `${plural}.home.antechamber.dev`);
const text = await printed();

async function printed(more: Partial<typeof usual> = {}): Promise<string> {
  let all = "";
  await manifests(
    { ...usual, ...more },
    {
      print: (line) => (all += line),
      note: (line) => expect.unreachable(line),
      readStdin: () => expect.unreachable(),
    },
  );
  return all;
}

function crd(name: string): JsonObject {
  return documentOf(text, "CustomResourceDefinition", name);
}

function list(value: JsonObject, ...path: readonly string[]): readonly JsonObject[] {
  const found = get(value, ...path);
  if (!isArray(found)) throw new Error(`no list at ${path.join(".")}`);
  return found as readonly JsonObject[];
}

it("all kinds are there, in the order of their names, then the webhook configurations", () => {
  const names = documentsOf(text).map((each) => String(get(each, "metadata", "name")));
  const kinds = names.filter((name) => !name.startsWith("antechamber"));
  expect(kinds).toEqual(kinds.toSorted());
  expect(kinds).toEqual(expect.arrayContaining(crds));
  expect(names.slice(kinds.length, kinds.length + 2)).toEqual(["antechamber", "antechamber"]);
});

it("the same bytes come out every time", async () => {
  expect(await printed()).toBe(text);
});

it("a description stays on one line, however long", () => {
  expect(text).toContain(
    '        - rule: "!has(oldSelf.spec) || !has(oldSelf.spec.device) || !has(oldSelf.spec.device.serial) || (has',
  );
});

it("the names of a CRD follow from the kind's", () => {
  expect(get(crd("rooms.home.antechamber.dev"), "spec", "names")).toEqual({
    kind: "Room",
    listKind: "RoomList",
    plural: "rooms",
    singular: "room",
    categories: ["home"],
  });
});

it.each(crds)("the hub of %s is stored, and nothing else", (name) => {
  const stored = list(crd(name), "spec", "versions").filter((version) => version.storage === true);
  expect(stored.map((version) => version.name)).toEqual(["v1"]);
});

it.each(crds)("every version of %s declares the reserved status field and keeps what is in it", (name) => {
  for (const version of list(crd(name), "spec", "versions")) {
    expect(get(version, "subresources", "status")).toEqual({});
    const path = ["schema", "openAPIV3Schema", "properties", "status", "properties", "conversionData"];
    expect(get(version, ...path)).toMatchObject({
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
    });
  }
});

it.each(crds)("%s is converted by the Service, reviews in both versions", (name) => {
  expect(get(crd(name), "spec", "conversion")).toEqual({
    strategy: "Webhook",
    webhook: {
      clientConfig: {
        service: { namespace: "antechamber-system", name: "antechamber", port: 443, path: "/convert" },
      },
      conversionReviewVersions: ["v1", "v1beta1"],
    },
  });
});

it("a kind with one version has no conversion webhook, and no status field that nothing needs", async () => {
  const { text: blind } = await (await house()).run();
  const spec = get(documentOf(blind, "CustomResourceDefinition", "blinds.home.example.dev"), "spec");
  expect(get(spec, "conversion")).toEqual({ strategy: "None" });
  expect(get(spec, "scope")).toBe("Cluster");
  expect(get(spec, "names", "shortNames")).toEqual(["bl"]);
  expect(blind).not.toContain("conversionData");
});

it.each([
  ["MutatingWebhookConfiguration", "mutate", { reinvocationPolicy: "IfNeeded" }],
  ["ValidatingWebhookConfiguration", "validate", {}],
])("the %s has one entry a kind, for objects and their status", (configuration, road, more) => {
  const entries = list(documentOf(text, configuration, "antechamber"), "webhooks");
  const names = documentsOf(text).flatMap((each) =>
    each.kind === "CustomResourceDefinition" ? [String(get(each, "metadata", "name"))] : [],
  );
  expect(entries.map(({ name }) => name)).toEqual(names.map((name) => `${road}.${name}`));
  expect(entries.find(({ name }) => name === `${road}.lights.home.antechamber.dev`)).toEqual({
    name: `${road}.lights.home.antechamber.dev`,
    clientConfig: {
      service: { namespace: "antechamber-system", name: "antechamber", port: 443, path: `/${road}` },
    },
    rules: [
      {
        apiGroups: ["home.antechamber.dev"],
        apiVersions: ["v1beta1", "v1"],
        operations: ["CREATE", "UPDATE"],
        resources: ["lights", "lights/status"],
        scope: "Namespaced",
      },
    ],
    matchPolicy: "Equivalent",
    failurePolicy: "Fail",
    sideEffects: "None",
    timeoutSeconds: 10,
    admissionReviewVersions: ["v1", "v1beta1"],
    ...more,
  });
});

it("a name of one's own names both configurations", async () => {
  const named = await printed({ name: "second" });
  expect(get(documentOf(named, "MutatingWebhookConfiguration", "second"), "kind")).toBeDefined();
  expect(get(documentOf(named, "ValidatingWebhookConfiguration", "second"), "kind")).toBeDefined();
});

it.each(["https://127.0.0.1:9443", "https://127.0.0.1:9443/"])(
  "%s is called instead of a Service",
  async (url) => {
    const documents = documentsOf(await printed({ url }));
    const configuration = documents.find(({ kind }) => kind === "MutatingWebhookConfiguration") ?? {};
    const [mutating] = list(configuration, "webhooks");
    expect(get(mutating, "clientConfig")).toEqual({ url: "https://127.0.0.1:9443/mutate" });
  },
);

it.each([
  [{ url: "http://localhost:9443" }, /--url http:\/\/localhost:9443: .* write it like https:/],
  [{ url: "https://localhost?a" }, /--url/],
  [{ url: "https://me@localhost" }, /--url/],
  [{ url: "localhost:9443" }, /--url/],
  [{ service: "antechamber" }, /--service antechamber: must be <namespace>\/<name>/],
  [{ service: "a/b/c" }, /--service/],
  [{ service: "a/B" }, /--service/],
  [{ name: "Two words" }, /--name/],
  [{ check: true }, /--check has nothing to compare/],
])("%j is rejected with a message that says what to write", async (more, message) => {
  await expect(printed(more)).rejects.toMatchObject({
    name: "UsageError",
    message: expect.stringMatching(message),
  });
});
