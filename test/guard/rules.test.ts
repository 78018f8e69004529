import { describe, expect, it } from "vitest";
import { get, isObject, listAt, set } from "../../src/json/json.ts";
import { faultless, webhookOf } from "../checks/webhook/webhooks.ts";
import { guarded, widget, widgets } from "./guarded.ts";

/** v1 says less of an image than v2 does. */
const crd = set(
  widgets,
  "spec",
  "versions",
  listAt(widgets, "spec", "versions")
    .filter(isObject)
    .map((version) =>
      version.name === "v1"
        ? set(version, "schema", "openAPIV3Schema", "properties", "spec", "properties", "image", {
            type: "string",
          })
        : version,
    ),
);

const write = (image: string) => ({
  kind: { group: "example.com", version: "v1", kind: "Widget" },
  operation: "CREATE",
  object: widget("v1", { image }),
});

describe("the rules of the newest version", () => {
  const webhook = webhookOf(faultless);

  it("hold for a write at an old one, in its words", async () => {
    const { validate } = guarded(webhook, { crd });
    expect((await validate(write("a"))).allowed).toBe(true);
    const denied = await validate(write(""));
    expect(denied.allowed).toBe(false);
    expect(get(denied, "status", "message")).toContain("spec.image");
  });

  it("are warnings, if that is wished", async () => {
    const { validate } = guarded(webhook, { crd, hubRules: "warn" });
    const warned = await validate(write(""));
    expect(warned.allowed).toBe(true);
    expect(listAt(warned, "warnings").join()).toContain("spec.image");
  });
});
