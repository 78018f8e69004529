import { describe, expect, it } from "vitest";
import { parseJson } from "../../src/json/exact.ts";
import { get, isArray, isObject, type JsonObject, listAt, set } from "../../src/json/json.ts";
import { planted } from "../checks/webhook/planted.ts";
import {
  type Conversion,
  faultless,
  throughDoubles,
  webhookOf,
  withSpec,
} from "../checks/webhook/webhooks.ts";
import { bare, guarded, widget, widgets, withStored } from "./guarded.ts";
import { inOtherWords } from "./in-other-words.ts";

const [v1, v2] = ["example.com/v1", "example.com/v2"];

async function view(convert: Conversion, object: JsonObject, to = v1): Promise<JsonObject> {
  const [shown] = await guarded(webhookOf(convert)).convert([object], to);
  if (!isObject(shown)) throw new Error(String(shown));
  return shown;
}

/** As Go prints a struct whose fields have no `omitempty`. */
const printing: Conversion = (object, desired) => ({
  status: {},
  ...withSpec(faultless(object, desired), (each) => ({
    size: 0,
    timeout: "",
    words: null,
    options: {},
    ...each,
  })),
});

describe("zero values", () => {
  it("that the object did not say are not shown", async () => {
    expect(bare(await view(printing, widget("v2", { mode: "Fast" })))).toEqual(
      widget("v1", { mode: "Fast" }),
    );
  });

  it("that it said are", async () => {
    const spec = { size: 0, timeout: "", options: {} };
    expect(bare(await view(printing, widget("v2", spec)))).toEqual(widget("v1", spec));
  });

  it("that it said elsewhere are too, since they may have moved", async () => {
    const moving: Conversion = (object, desired) =>
      withSpec(faultless(object, desired), ({ left, right, ...rest }) => ({
        ...rest,
        ...(left === undefined ? {} : { right: left }),
        ...(right === undefined ? {} : { left: right }),
      }));
    expect(get(await view(moving, widget("v2", { left: "" })), "spec", "right")).toBe("");
  });

  it("in items leave an object that is not emptied", async () => {
    const printed: Conversion = (object) => ({ ...object, apiVersion: v2, spec: { image: "", ports: [{}] } });
    expect(get(await view(printed, widget("v1", { ports: [{ port: 1 }] }), v2), "spec", "ports")).toEqual([
      {},
    ]);
  });

  it("of Go's time leave an object that is not emptied", async () => {
    const printed: Conversion = ({ apiVersion: _, spec: __, ...object }) => ({
      ...object,
      apiVersion: v2,
      spec: { image: "" },
      status: { since: null },
    });
    const object = { ...widget("v1", { image: "" }), status: { since: "0001-01-01T00:00:00Z" } };
    expect(bare(await view(printed, object, v2))).toEqual(widget("v2", { image: "" }));
  });

  it("of a struct do not empty an object of which it knows nothing", async () => {
    const typed: Conversion = (object, desired) => ({
      ...object,
      apiVersion: desired,
      spec: { image: "", options: {} },
    });
    const { convert } = guarded(webhookOf(typed), { crd: withStored(widgets, ["v2"]) });
    const written = { ...widget("v1", {}), spec: { options: { unknown: "1" } } };
    const stored = await convert([written], v2);
    if (typeof stored === "string") throw new Error(stored);
    const [shown] = await convert(stored.filter(isObject), v1);
    expect(isObject(shown) && get(bare(shown), "spec")).toEqual(written.spec);
  });

  /** v2 prints both sizes in any case. */
  const otherWords = inOtherWords((object, desired) =>
    withSpec(faultless(object, desired), (each) =>
      desired === v1 ? each : { serial: 0, timeout: "", ...each },
    ),
  );

  it("that say in other words what the object said are shown, and none beside them", async () => {
    const shown = async (spec: JsonObject) => get(await view(otherWords, widget("v1", spec), v2), "spec");
    expect(await shown({ open: false })).toEqual({ image: "a", size: 0 });
    expect(await shown({ open: false, left: "" })).toEqual({ image: "a", size: 0, right: "" });
    expect(await shown({ open: true })).toEqual({ image: "a", size: 1 });
    expect(await shown({})).toEqual({ image: "a" });
  });

  it("that say something only together are shown together", async () => {
    const joining: Conversion = (object, desired) =>
      withSpec(faultless(object, desired), ({ timeout, size, serial, ...rest }) => {
        if (desired === v1)
          return size === undefined || serial === undefined
            ? rest
            : { ...rest, timeout: `${size}x${serial}` };
        const [width, length] = String(timeout).split("x").map(Number);
        return timeout === undefined || width === undefined || length === undefined
          ? rest
          : { ...rest, size: width, serial: length };
      });
    const spec = get(await view(joining, widget("v1", { timeout: "0x0" }), v2), "spec");
    expect(spec).toEqual({ image: "a", size: 0, serial: 0 });
  });

  it("are shown in items that come back in another place", async () => {
    const turning: Conversion = (object, desired) =>
      withSpec(faultless(object, desired), ({ ports, ...rest }) => {
        const [first, ...others] = isArray(ports) ? ports : [];
        return first === undefined ? rest : { ...rest, ports: [...others, first] };
      });
    const [a, b, c] = [{ name: "a", port: 0 }, { name: "b" }, { name: "c", port: 2 }];
    const shown = await view(turning, widget("v2", { ports: [a, b, c] }));
    expect(get(shown, "spec", "ports")).toEqual([b, c, a]);
  });

  /** A field below options has another name in each version. */
  const renaming: Conversion = (object, desired) => {
    const [from, to] = desired === v1 ? ["old", "new"] : ["new", "old"];
    return withSpec(faultless(object, desired), ({ options, ...rest }) => {
      const inner = get(options, from);
      return inner === undefined ? rest : { ...rest, options: { [to]: inner } };
    });
  };

  it("of an object that held nothing but null do not come with another zero", async () => {
    const shown = async (options: JsonObject) =>
      get(await view(renaming, widget("v2", { options })), "spec", "options");
    expect(await shown({ old: { none: null }, gone: {} })).toEqual(await shown({ old: { none: null } }));
    expect(await shown({ old: {} })).toEqual({ new: {} });
  });

  it("of an object that holds nothing but null are shown as an empty one, whatever else the object says", async () => {
    for (const options of [{ old: { none: null } }, { old: { none: null }, new: {} }]) {
      const guard = guarded(webhookOf(renaming));
      const object = widget("v2", { options });
      const [shown] = await guard.convert([object], v1);
      expect(get(shown, "spec", "options")).toEqual({ new: {} });
      const [back] = isObject(shown) ? await guard.convert([shown], v2) : [];
      expect(bare(back)).toEqual(object);
    }
  });

  it("of an object that the upstream prints with nothing but null are not shown", async () => {
    const embedding: Conversion = (object, desired) =>
      withSpec(faultless(object, desired), (spec) => ({ ...spec, options: { metadata: { since: null } } }));
    const shown = await view(embedding, widget("v2", { mode: "Fast" }));
    expect(bare(shown)).toEqual(widget("v1", { mode: "Fast" }));
  });

  it("that the schema requires in an object that is there are shown", async () => {
    const emptying: Conversion = (object, desired) =>
      withSpec(faultless(object, desired), (each) => ({ ...each, image: "" }));
    expect(get(await view(emptying, widget("v2", { size: 3 })), "spec", "image")).toBe("");
  });

  it("that are the key of an item are shown with it, also where the upstream leaves them out", async () => {
    const items = {
      type: "object",
      required: ["name"],
      properties: { name: { type: "string" }, quota: { type: "integer" } },
    };
    const list = {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items,
    };
    const versions = listAt(widgets, "spec", "versions").filter(isObject);
    const path = ["schema", "openAPIV3Schema", "properties", "spec", "properties", "resources"] as const;
    const crd = set(
      widgets,
      "spec",
      "versions",
      versions.map((each) => set(each, ...path, list)),
    );
    const omitting: Conversion = (object, desired) =>
      withSpec(faultless(object, desired), (spec) => ({
        ...spec,
        resources: listAt(spec, "resources").map((item) =>
          isObject(item) && item.name === "" ? set(item, "name", undefined) : item,
        ),
      }));
    const { convert } = guarded(webhookOf(omitting), { crd });
    const resources = [
      { name: "", quota: 3 },
      { name: "b", quota: 4 },
    ];
    const [shown] = await convert([widget("v2", { resources })], v1);
    expect(get(shown, "spec", "resources")).toEqual(resources);
  });

  it("do not fill a part of an object, as server-side apply converts one", async () => {
    const part = { apiVersion: v2, kind: "Widget", metadata: { name: "a" }, spec: { mode: "Fast" } };
    expect(bare(await view(printing, part))).toEqual({ ...part, apiVersion: v1 });
  });
});

describe("a carrier in status", () => {
  const field = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const requiring = set(
    widgets,
    "spec",
    "versions",
    listAt(widgets, "spec", "versions")
      .filter(isObject)
      .map((version) => {
        const status = {
          type: "object",
          required: ["phase"],
          properties: { phase: { type: "string" }, conversionData: field },
        };
        return set(version, "schema", "openAPIV3Schema", "properties", "status", status);
      }),
  );

  it("makes no status that lacks what its schema requires", async () => {
    const { convert } = guarded(webhookOf(faultless), { crd: requiring });
    for (const [from, to] of [
      ["v2", v1],
      ["v1", v2],
    ] as const) {
      const [bareOne] = await convert([widget(from, { secret: "s", serial: 3 })], to);
      expect(get(bareOne, "status")).toBe(undefined);
      const [whole] = await convert([{ ...widget(from, { secret: "s" }), status: { phase: "Ready" } }], v1);
      expect(get(whole, "status", "conversionData") !== undefined).toBe(from === "v2");
    }
  });
});

describe("numbers", () => {
  it("stay exact, also where the upstream reads them as doubles", async () => {
    const exact = parseJson('{"serial": 1700000000123456789}');
    const rounding: Conversion = (object, desired) =>
      throughDoubles(faultless(object, desired)) as JsonObject;
    const guard = guarded(webhookOf(rounding));
    const object = widget("v2", isObject(exact) ? exact : {});
    const [shown] = await guard.convert([object], v1);
    const [back] = isObject(shown) ? await guard.convert([shown], v2) : [];
    expect(bare(back)).toEqual(object);
  });
});

describe("an edit", () => {
  it("of one version shows in the other one, also where the upstream is at fault", async () => {
    for (const { fault, convert } of planted.filter(({ fault: each }) => each !== "the process ends")) {
      const guard = guarded(webhookOf(convert));
      const [shown] = await guard.convert([widget("v2", { size: 5, secret: "s" })], v1);
      if (!isObject(shown) || !isObject(shown.spec)) throw new Error(String(shown));
      // What the upstream alone would make of the edit is what the guard must show.
      const edited = { ...shown, spec: { ...shown.spec, words: ["b", "a"] } };
      const [hub] = await guard.convert([edited], v2);
      expect([fault, get(hub, "spec", "words")]).toEqual([fault, ["b", "a"]]);
    }
  });
});

describe("a version that is neither served nor stored any more", () => {
  const versions = listAt(widgets, "spec", "versions").filter(isObject);
  const retired = versions.map((each) => (each.name === "v1" ? set(each, "served", false) : each));
  const crd = set(widgets, "spec", "versions", retired);
  const object = widget("v1", { size: 3 });

  it("is converted where objects of it may still be in etcd", async () => {
    // A CRD from a file has no status.
    for (const status of [{ storedVersions: ["v1", "v2"] }, undefined]) {
      const { convert } = guarded(webhookOf(faultless), { crd: set(crd, "status", status) });
      const [shown] = await convert([object], v2);
      expect(get(shown, "spec", "size")).toBe(3);
    }
  });

  it("is never the hub", () => {
    const newest = versions.map((each) => (each.name === "v2" ? set(each, "served", false) : each));
    const swapped = newest.map((each) => set(each, "storage", each.name === "v1"));
    const { kinds } = guarded(webhookOf(faultless), { crd: set(crd, "spec", "versions", swapped) });
    expect(kinds.map(({ hub }) => hub.name)).toEqual(["v1"]);
  });
});
