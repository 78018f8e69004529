import { describe, expect, it } from "vitest";
import { get, isObject, type Json, type JsonObject, own, set } from "../../src/json/json.ts";
import { annotated, type Conversion, faultless, webhookOf, withSpec } from "../checks/webhook/webhooks.ts";
import { bare, guarded, widget } from "./guarded.ts";

const [v1, v2] = ["example.com/v1", "example.com/v2"];

/** v1 has all of v2's spec in an annotation, and takes it from there on the way back, as many projects do. */
function carrying(text: (spec: Json) => string, spec: (text: string) => Json): Conversion {
  const key = "example.com/spec";
  return (object, desired) => {
    const made = { ...object, apiVersion: desired };
    if (desired === v1)
      return annotated(
        withSpec(made, (each) => set(each, "secret", undefined)),
        text(object.spec ?? null),
        key,
      );
    const stored = get(object, "metadata", "annotations", key);
    const restored = annotated(made, undefined, key);
    if (typeof stored !== "string") return restored;
    return { ...restored, spec: spec(stored) };
  };
}

const json = carrying(JSON.stringify, JSON.parse);

async function there(guard: ReturnType<typeof guarded>, object: JsonObject, to: string): Promise<JsonObject> {
  const shown = await guard.convert([object], to);
  if (typeof shown === "string" || !isObject(shown[0])) throw new Error(String(shown));
  return shown[0];
}

describe("an annotation in which the upstream carries data", () => {
  it("is not shown, and no edit is undone by it", async () => {
    const guard = guarded(webhookOf(json));
    const object = widget("v2", { size: 3, secret: "s" });
    const view = await there(guard, object, v1);
    expect(bare(view)).toEqual(widget("v1", { size: 3 }));
    const edited = set(view, "spec", "size", 4);
    expect(bare(await there(guard, edited, v2))).toEqual(widget("v2", { size: 4, secret: "s" }));
  });

  it("is believed once, where it is from before us, and never beside our carriers", async () => {
    const guard = guarded(webhookOf(json));
    const before = json(widget("v2", { size: 3, secret: "s" }), v1);
    const hub = await there(guard, before, v2);
    expect(bare(hub)).toEqual(widget("v2", { size: 3, secret: "s" }));
    const view = await there(guard, hub, v1);
    const [old] = [own(get(before, "metadata", "annotations"), "example.com/spec")];
    const stale = set(set(view, "spec", "size", 5), "metadata", "annotations", "example.com/spec", old);
    expect(bare(await there(guard, stale, v2))).toEqual(widget("v2", { size: 5, secret: "s" }));
  });

  it("is named by the operator where it looks like a field, as a single number does", async () => {
    const key = "example.com/size";
    const beats: Conversion = (object, desired) => {
      const made = { ...object, apiVersion: desired };
      const size = get(object, "spec", "size");
      if (desired === v1) return size === undefined ? made : annotated(made, JSON.stringify(size), key);
      const stored = get(object, "metadata", "annotations", key);
      const read = annotated(made, undefined, key);
      return typeof stored === "string" ? set(read, "spec", "size", JSON.parse(stored)) : read;
    };
    const edited = async (carried: readonly string[]) => {
      const guard = guarded(webhookOf(beats), { carried });
      const view = await there(guard, widget("v2", { size: 3 }), v1);
      return get(await there(guard, set(view, "spec", "size", 4), v2), "spec", "size");
    };
    expect(await edited([])).toBe(3);
    expect(await edited([key])).toBe(4);
  });
});

describe("an annotation that is a field in the other version", () => {
  it("is shown, and what a client writes there becomes the field", async () => {
    const guard = guarded(webhookOf(faultless));
    const view = await there(guard, widget("v2", { secret: "s" }), v1);
    expect(get(view, "metadata", "annotations", "example.com/secret")).toBe("s");
    const edited = set(view, "metadata", "annotations", "example.com/secret", "t");
    expect(get(await there(guard, edited, v2), "spec", "secret")).toBe("t");
    const removed = set(view, "metadata", "annotations", "example.com/secret", undefined);
    expect(get(await there(guard, removed, v2), "spec", "secret")).toBe(undefined);
  });

  it("may be carried, if the operator says so", async () => {
    const guard = guarded(webhookOf(faultless), { carried: ["example.com/secret"] });
    const view = await there(guard, widget("v2", { secret: "s" }), v1);
    expect(get(view, "metadata", "annotations", "example.com/secret")).toBe(undefined);
    expect(bare(await there(guard, view, v2))).toEqual(widget("v2", { secret: "s" }));
  });
});

describe("annotations that leave no room", () => {
  const note = (bytes: number) => ({ annotations: { note: "x".repeat(bytes - "note".length) } });
  const limit = 262_144;

  it("for the upstream's own do not keep it from converting", async () => {
    const guard = guarded(webhookOf(json));
    const object = widget("v2", { size: 3 }, note(limit - 10));
    expect(await there(guard, object, v1)).toEqual(widget("v1", { size: 3 }, note(limit - 10)));
    expect(guard.log).toEqual([]);
  });

  it("for ours leave an object that the upstream refuses readable", async () => {
    const refusing: Conversion = () => {
      throw new Error("no");
    };
    const guard = guarded(webhookOf(refusing));
    const sizes: number[] = [];
    for (let room = 0; room < 400; room += 9) {
      const view = await there(guard, widget("v2", { size: 3, secret: "s" }, note(limit - room)), v1);
      const annotations = Object.entries(get(view, "metadata", "annotations") ?? {});
      expect(annotations).toContainEqual(["note", note(limit - room).annotations.note]);
      sizes.push(annotations.flat().join("").length);
    }
    expect(Math.max(...sizes)).toBeLessThanOrEqual(limit);
  });
});

describe("other labels and annotations", () => {
  it("stay as they are, even where the upstream drops them, whatever is in them", async () => {
    const marks = {
      labels: { team: "a" },
      annotations: { note: '{"a":1}', "kubectl.kubernetes.io/last-applied-configuration": "{}" },
    };
    const guard = guarded(
      webhookOf((object, desired) => {
        const { labels: _, annotations: __, ...metadata } = isObject(object.metadata) ? object.metadata : {};
        return { ...object, apiVersion: desired, metadata };
      }),
    );
    const object = widget("v2", { size: 3 }, marks);
    const view = await there(guard, object, v1);
    expect(bare(await there(guard, view, v2))).toEqual(object);
  });

  it("are read by an upstream that leaves them in their place", async () => {
    const guard = guarded(
      webhookOf((object, desired) => {
        const size = get(object, "metadata", "labels", "size");
        const made = { ...object, apiVersion: desired };
        return size === undefined ? made : withSpec(made, (spec) => ({ ...spec, size: Number(size) }));
      }),
    );
    const view = await there(guard, widget("v2", {}, { labels: { size: "7" } }), v1);
    expect(bare(view)).toEqual(widget("v1", { size: 7 }, { labels: { size: "7" } }));
  });
});
