import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { detach } from "../../../src/conversion/carriers.ts";
import { get, type JsonObject, set } from "../../../src/json/json.ts";
import { fromHub, toHub } from "../../../src/kind/kind.ts";
import { customVersionLabel } from "../../../webhooks/kruise/shared/names.ts";
import { kind, sidecarSet } from "./kind.ts";

const older = (object: JsonObject) => set(object, "apiVersion", "apps.kruise.io/v1alpha1");
const labels = (value: string, more: object = {}) => ({ labels: { [customVersionLabel]: value, ...more } });
const bare = (object: JsonObject) => detach(object).object;

describe("a custom version", () => {
  it("is a label in v1alpha1 and a field in v1beta1", () => {
    const hub = toHub(kind, older(sidecarSet({}, labels("v3", { team: "net" }))), 0);
    expect(get(hub, "spec", "customVersion")).toBe("v3");
    expect(get(hub, "metadata", "labels")).toEqual({ team: "net" });
    expect(get(hub, "metadata", "annotations")).toBeUndefined();
    expect(get(fromHub(kind, hub, 0), "metadata", "labels")).toEqual({
      team: "net",
      [customVersionLabel]: "v3",
    });
  });

  it("survives a round trip with any label and field, from both versions", () => {
    const texts = fc.constantFrom("", "v1", "v2", "not a label", "é", "x".repeat(64));
    const optional = fc.option(texts, { nil: undefined });
    fc.assert(
      fc.property(optional, optional, fc.boolean(), (label, field, hasMore) => {
        const more = hasMore ? { team: "net" } : {};
        // The API server stores only valid labels.
        const metadata =
          label === undefined || /[^\w]|.{64}/.test(label) ? { labels: more } : labels(label, more);
        const hub = sidecarSet(field === undefined ? {} : { customVersion: field }, metadata);
        expect(bare(toHub(kind, fromHub(kind, hub, 0), 0))).toEqual(hub);
        const spoke = older(sidecarSet({}, metadata));
        expect(bare(fromHub(kind, toHub(kind, spoke, 0), 0))).toEqual(spoke);
      }),
    );
  });

  it("that is not a valid label value gives no label, and is kept", () => {
    const hub = sidecarSet({ customVersion: "not a label" });
    const view = fromHub(kind, hub, 0);
    expect(get(view, "metadata", "labels")).toBeUndefined();
    expect(get(toHub(kind, view, 0), "spec", "customVersion")).toBe("not a label");
  });

  it("changed in one version is changed in the other", () => {
    const view = fromHub(kind, sidecarSet({ customVersion: "v1" }, labels("old")), 0);
    const changed = set(
      view,
      "metadata",
      set(view.metadata as JsonObject, "labels", { [customVersionLabel]: "v2" }),
    );
    const hub = toHub(kind, changed, 0);
    expect(get(hub, "spec", "customVersion")).toBe("v2");
  });

  it("in the label of a v1beta1 object stays there when a v1alpha1 client writes it back", () => {
    const hub = sidecarSet({}, labels("by-hand"));
    const view = fromHub(kind, hub, 0);
    const written = set(view, "metadata", {
      ...(view.metadata as JsonObject),
      finalizers: ["example.org/f"],
    });
    const back = bare(toHub(kind, written, 0));
    expect(get(back, "metadata", "labels", customVersionLabel)).toBe("by-hand");
    expect(get(back, "spec", "customVersion")).toBeUndefined();
  });

  it("that is forged into a carrier as an invalid label is dropped", () => {
    const view = fromHub(kind, sidecarSet({}, labels("v1")), 0);
    const forged = JSON.parse(JSON.stringify(view).replaceAll('v1\\"', 'é é\\"').replaceAll('"="', '"="'));
    expect(() => toHub(kind, forged as JsonObject, 0)).not.toThrow();
  });
});

describe("a namespace", () => {
  it("takes precedence over a selector, which is kept", () => {
    const spec = { namespace: "shop", namespaceSelector: { matchLabels: { stage: "live" } } };
    const spoke = older(sidecarSet(spec));
    const hub = toHub(kind, spoke, 0);
    expect(get(hub, "spec", "namespaceSelector")).toEqual({
      matchLabels: { "kubernetes.io/metadata.name": "shop" },
    });
    expect(bare(fromHub(kind, hub, 0))).toEqual(spoke);
  });

  it("is removed once a v1beta1 client selects other namespaces", () => {
    const hub = toHub(kind, older(sidecarSet({ namespace: "shop" })), 0);
    const namespaceSelector = { matchLabels: { stage: "test" } };
    const changed = set(hub, "spec", set(hub.spec as JsonObject, "namespaceSelector", namespaceSelector));
    const view = fromHub(kind, changed, 0);
    expect(get(view, "spec", "namespace")).toBeUndefined();
    expect(get(view, "spec", "namespaceSelector")).toEqual(namespaceSelector);
  });
});
