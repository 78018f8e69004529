import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createAuthority } from "../../../certs/authority.ts";
import { writeJson } from "../../../src/json/exact.ts";
import { get, isObject, type Json, type JsonObject, set } from "../../../src/json/json.ts";
import { leftOut, releaseOf, requireBinaries } from "../binaries.ts";
import type { Answer } from "../client.ts";
import { establishCrd } from "../crd.ts";
import {
  type Lab,
  labCrd,
  memory,
  type Reply,
  relabelled,
  samples,
  startLab,
  versionsOf,
} from "../sample-lab.ts";
import { type ClientAt, metadataOf } from "../subject.ts";

// What our behaviour relies on, each tested on a real API server with a webhook whose responses the test sets.

const release = releaseOf(process.env);

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("an API server", claims);

function claims(): void {
  let lab: Lab;
  beforeAll(async () => {
    lab = await startLab();
  }, 100_000);
  afterAll(() => lab?.stop());

  async function made(name: string, spec: JsonObject = { a: "a" }, version = "v1"): Promise<ClientAt> {
    const client = lab.sample(name).at(version);
    // An apply creates without the two seconds that a POST takes right after the CRD came (crd.ts).
    expect(await client.apply("maker", { spec })).toMatchObject({ status: 201 });
    // The watch cache of v1beta1 converts what was written at v1, in its own time.
    if (version === "v1") await vi.waitFor(() => expect(lab.seen(name)).toHaveLength(1));
    return client;
  }

  const old = (name: string) => lab.sample(name).at("v1beta1");
  const read = (name: string, version = "v1beta1") =>
    lab.request("GET", `/apis/${samples.group}/${version}/namespaces/default/samples/${name}`);
  /** Reviews toward a version: those of v1 that are stored carry no resourceVersion. */
  const toward = (name: string, version: string) =>
    lab
      .seen(name)
      .filter(({ body }) => get(body, "request", "desiredAPIVersion") === `${samples.group}/${version}`);

  describe("requests a conversion", () => {
    it("of one object at a time, on reads and writes", async () => {
      for (const name of ["one-a", "one-b", "one-c"]) await made(name);
      for (const query of ["", "?limit=2", "?resourceVersion=0"]) {
        const path = `/apis/${samples.group}/v1beta1/namespaces/default/samples${query}`;
        await vi.waitFor(async () => expect(await lab.request("GET", path)).toMatchObject({ status: 200 }));
      }
      const client = old("one-a");
      await client.put(await client.get());
      const reviews = ["one-a", "one-b", "one-c"].flatMap((name) => lab.seen(name));
      expect(reviews.length).toBeGreaterThan(5);
      for (const { objects } of reviews) expect(objects).toHaveLength(1);
    });

    it("with a stub of a response in the request, a timeout of 30 s in the query, and a content length", async () => {
      await made("stub");
      await read("stub");
      const [first] = lab.seen("stub");
      expect(first?.url).toBe("/convert?timeout=30s");
      expect(first?.text).toContain('"response":{"uid":"","convertedObjects":null,"result":{"metadata":{}}}');
      expect(first?.headers).toMatchObject({
        "content-type": "application/json",
        "content-length": expect.any(String),
      });
    });

    it("of stored objects with generation and uid, and without a resourceVersion in managedFields", async () => {
      await made("stamped", { a: "a" }, "v1beta1");
      const stored = toward("stamped", "v1").at(-1)?.objects[0];
      expect(get(stored, "metadata", "generation")).toBe(1);
      expect(get(stored, "metadata", "uid")).toEqual(expect.any(String));
      expect(get(stored, "metadata", "resourceVersion")).toBeUndefined();
    });

    it("with exact int64 values, and accepts exact ones", async () => {
      for (const text of ["9007199254740993", "9223372036854775807", "-9223372036854775808"]) {
        const name = `exact-${text.length}${text.startsWith("-") ? "-less" : ""}`;
        const path = `/apis/${samples.group}/v1beta1/namespaces/default/samples/${name}?fieldManager=exact`;
        const body = `{"apiVersion":"${samples.group}/v1beta1","kind":"Sample","metadata":{"name":"${name}"},"spec":{"n":${text}}}`;
        const answer = await lab.request("PATCH", path, {
          body: Buffer.from(body),
          contentType: "application/apply-patch+yaml",
        });
        expect(answer.text).toContain(`"n":${text}`);
        expect((await read(name, "v1")).text).toContain(`"n":${text}`);
      }
    });
  });

  describe("retries", () => {
    const busy = (headers: Record<string, string>): Reply => ({ status: 503, headers, body: "" });

    it("ten times after 503 with Retry-After, and then reports that the server is unable", async () => {
      await made("busy");
      lab.reply("busy", () => busy({ "retry-after": "0" }));
      const before = lab.seen("busy").length;
      const answer = await read("busy");
      expect(lab.seen("busy").slice(before)).toHaveLength(11);
      expect(messageOf(answer)).toMatch(failedRead("the server is currently unable to handle the request"));
    });

    it("on a new connection if the response closed the old one, and the client sees no failure", async () => {
      await made("closing");
      const before = lab.seen("closing").length;
      lab.reply("closing", () => {
        lab.reply("closing", undefined);
        return busy({ "retry-after": "1", connection: "close" });
      });
      const start = performance.now();
      expect(await read("closing")).toMatchObject({ status: 200 });
      expect(performance.now() - start).toBeGreaterThan(990);
      const [first, second] = lab.seen("closing").slice(before);
      expect(second?.connection).not.toBe(first?.connection);
    });

    it.each([
      ["503 without Retry-After", busy({})],
      ["503 with a fraction in Retry-After", busy({ "retry-after": "0.5" })],
      ["404 with Retry-After", { status: 404, headers: { "retry-after": "1" }, body: "" }],
    ])("never after %s", async (what, reply) => {
      const name = what.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
      await made(name);
      const before = lab.seen(name).length;
      lab.reply(name, () => reply);
      expect(await read(name)).toMatchObject({ status: 500 });
      expect(lab.seen(name).slice(before)).toHaveLength(1);
    });

    it("never after a broken connection: the client gets EOF", async () => {
      await made("broken");
      const before = lab.seen("broken").length;
      lab.reply("broken", () => null);
      expect(messageOf(await read("broken"))).toMatch(/\/convert\?timeout=30s": EOF$/);
      expect(lab.seen("broken").slice(before)).toHaveLength(1);
    });
  });

  describe("uses of a response", () => {
    it("only labels and annotations of metadata, and ignores the rest without a message", async () => {
      await made("meta");
      const before = await read("meta", "v1");
      lab.convert("meta", (object, apiVersion) => ({
        ...object,
        apiVersion,
        metadata: {
          ...metadataOf(object),
          labels: { ours: "yes" },
          annotations: { "lab.antechamber.dev/ours": "yes" },
          finalizers: ["lab.antechamber.dev/f"],
          ownerReferences: [],
          generation: 99,
          resourceVersion: "1",
          creationTimestamp: "2000-01-01T00:00:00Z",
          managedFields: [],
          unknown: 1,
        },
      }));
      const after = await read("meta");
      const { labels, annotations, ...rest } = metadataOf(bodyOf(after));
      expect(labels).toEqual({ ours: "yes" });
      expect(annotations).toEqual({ "lab.antechamber.dev/ours": "yes" });
      const { managedFields: _, ...expected } = metadataOf(bodyOf(before));
      const { managedFields: fields, ...others } = rest;
      expect(others).toEqual(expected);
      expect(fields).not.toEqual([]);
    });

    it("annotations of 262144 bytes in total, and not one byte more", async () => {
      await made("large");
      const key = "lab.antechamber.dev/x";
      const withBytes = (count: number) =>
        lab.convert("large", (object, apiVersion) => {
          const annotations = { [key]: "x".repeat(count - key.length) };
          return { ...object, apiVersion, metadata: { ...metadataOf(object), annotations } };
        });
      withBytes(262_144);
      expect(await read("large")).toMatchObject({ status: 200 });
      withBytes(262_145);
      expect(messageOf(await read("large"))).toContain(
        "returned invalid metadata: metadata.annotation: Too long: may not be more than 262144 bytes",
      );
    });

    it("any content: for reads it is pruned and nulls are dropped, but it is not validated", async () => {
      await made("loose");
      lab.convert("loose", (object, apiVersion) => ({
        ...object,
        apiVersion,
        unknown: 1,
        spec: { a: null, n: "text", unknown: 1 },
      }));
      expect(get((await read("loose")).body, "spec")).toEqual({ n: "text" });
      expect(get((await read("loose")).body, "unknown")).toBeUndefined();
    });

    it("any content: for writes it is stored without validation and without defaults", async () => {
      lab.convert("smuggled", (object, apiVersion) => ({
        ...object,
        apiVersion,
        spec: apiVersion.endsWith("/v1") ? { x: "too long for v1", unknown: 1, a: null } : { a: "a" },
      }));
      await made("smuggled", { a: "a" }, "v1beta1");
      // The default is there on reading, since a read fills in the defaults of the stored version.
      expect(get((await read("smuggled", "v1")).body, "spec")).toEqual({ x: "too long for v1", d: "v1's" });
    });

    it("the message of a failure, which the client gets", async () => {
      await made("refused");
      lab.reply("refused", () => ({
        status: 200,
        headers: { "content-type": "application/json" },
        body: writeJson({
          apiVersion: "apiextensions.k8s.io/v1",
          kind: "ConversionReview",
          response: {
            uid: get(lab.seen("refused").at(-1)?.body, "request", "uid") ?? "",
            result: { status: "Failure", message: "spec.a is odd" },
          },
        }),
      }));
      const answer = await read("refused");
      expect(answer.status).toBe(500);
      expect(messageOf(answer)).toMatch(failedRead("spec.a is odd"));
    });
  });

  describe("around a conversion", () => {
    it("applies the defaults of the stored version before a read at an older one, and never those of the older one", async () => {
      await made("defaulted", { a: "a" });
      await read("defaulted");
      expect(get(toward("defaulted", "v1beta1").at(-1)?.objects[0], "spec", "d")).toBe("v1's");
      lab.convert("bare", (object, apiVersion) => {
        const spec = isObject(object.spec) ? object.spec : {};
        return { ...object, apiVersion, spec: set(spec, "d", undefined) };
      });
      await made("bare", { a: "a" });
      expect(get((await read("bare")).body, "spec")).toEqual({ a: "a" });
    });

    it("applies the defaults of the written version before it converts to the stored one", async () => {
      await made("written", { a: "a" }, "v1beta1");
      expect(get(toward("written", "v1").at(-1)?.objects[0], "spec", "d")).toBe("v1beta1's");
    });

    it("restores status on a write of the main resource, as converted from the stored object", async () => {
      carryInStatus(lab, "main");
      await made("main");
      const client = old("main");
      const { spec = {}, metadata } = await client.get();
      const { resourceVersion = "" } = isObject(metadata) ? metadata : {};
      const status = { phase: "forged", memory: { x: "forged" } };
      expect(await client.put(client.file({ metadata: { resourceVersion }, spec, status }))).toMatchObject({
        status: 200,
      });
      expect(get(stored("main"), "status")).toEqual({ memory: { says: "made anew" } });
    });

    it("starts a write from the object in its watch cache, as it was converted at that time", async () => {
      await made("cached");
      carryInStatus(lab, "cached");
      const client = old("cached");
      expect((await client.get()).status).toEqual({ memory: { says: "made anew" } });
      expect(await client.patch({ metadata: { labels: { seen: "yes" } } })).toMatchObject({ status: 200 });
      expect(stored("cached")).toBeDefined();
      expect(get(stored("cached"), "status")).toBeUndefined();
    });

    it("restores everything else on a write of /status, annotations too", async () => {
      lab.convert("sub", (object, apiVersion) => {
        const annotations = apiVersion.endsWith("/v1") ? {} : { "lab.antechamber.dev/says": "made anew" };
        return { ...object, apiVersion, metadata: { ...metadataOf(object), annotations } };
      });
      await made("sub");
      const client = old("sub");
      const { metadata } = await client.get();
      const { resourceVersion = "" } = isObject(metadata) ? metadata : {};
      const forged = { metadata: { resourceVersion }, spec: { a: "forged" }, status: { phase: "Ready" } };
      expect(await client.putStatus(client.file(forged))).toMatchObject({ status: 200 });
      expect(get(stored("sub"), "spec", "a")).toBe("a");
      expect(get(stored("sub"), "status")).toEqual({ phase: "Ready" });
      expect(get(stored("sub"), "metadata", "annotations")).toEqual({
        "lab.antechamber.dev/says": "made anew",
      });
    });
  });

  /** What the last conversion to v1 that is stored received. */
  function stored(name: string): JsonObject | undefined {
    return toward(name, "v1")
      .flatMap(({ objects }) => objects)
      .filter((object) => get(object, "metadata", "resourceVersion") === undefined)
      .at(-1);
  }

  describe("in server-side apply", () => {
    it("converts partial objects: without spec, and with only name and namespace in metadata", async () => {
      stashX(lab, "partial");
      const [hub, view] = [lab.sample("partial").at("v1"), old("partial")];
      await hub.apply("hub", { metadata: { labels: { l: "1" } }, spec: { x: "x" } });
      await view.apply("view", { spec: { a: "a" } });
      await view.apply("view", {});
      await view.apply("view", { spec: { a: "a" } });
      await hub.apply("hub", {});
      const objects = lab.seen("partial").flatMap((seen) => seen.objects);
      const bare = objects.map((object) => Object.keys(metadataOf(object)).sort().join(" "));
      expect(objects.some((object) => !Object.hasOwn(object, "spec"))).toBe(true);
      expect(bare).toContain("name namespace");
      for (const object of objects) expect(metadataOf(object).name).toBe("partial");
    });

    it("converts a null spec, and rejects it, if a conversion leaves an empty spec behind", async () => {
      const unapply = async (name: string) => {
        const [hub, view] = [lab.sample(name).at("v1"), old(name)];
        await hub.apply("hub", { spec: { x: "x" } });
        await view.apply("view", { spec: { a: "a" } });
        const answer = await view.apply("view", {});
        return { answer, spec: (await hub.get()).spec };
      };
      stashX(lab, "emptied", "leave spec empty");
      const { answer } = await unapply("emptied");
      const specs = lab.seen("emptied").flatMap(({ objects }) => objects.map(({ spec }) => spec));
      expect(specs).toContain(null);
      expect(answer.status).toBe(422);
      expect(messageOf(answer)).toContain('spec: Invalid value: "null": spec in body must be of type object');
      stashX(lab, "dropped");
      const kept = await unapply("dropped");
      expect(kept.answer.status).toBe(200);
      expect(kept.spec).toMatchObject({ x: "x" });
    });

    it("needs the field of a carrier to be declared in every version", async () => {
      const half: typeof samples = { ...samples, kind: "Half", plural: "halves" };
      await establishCrd(lab, labCrd(lab, half, versionsOf({}, memory)));
      carryInStatus(lab, "half");
      lab.convert("half", (object, apiVersion) => ({
        ...object,
        apiVersion,
        status: { memory: { says: "yes" } },
      }));
      const [hub, view] = [lab.sample("half", half).at("v1"), lab.sample("half", half).at("v1beta1")];
      await hub.apply("hub", { spec: { x: "x", a: "a" } });
      const answer = await view.apply("view", { spec: { n: 1 } });
      expect(answer.status).toBe(500);
      expect(messageOf(answer)).toContain(".status.memory: field not declared in schema");
    });

    it("fails if a conversion fails, while other writes get 200 and, up to v1.36, lose all managedFields", async () => {
      const client = await made("wiped");
      await old("wiped").apply("view", { spec: { n: 1 } });
      lab.convert("wiped", (object, apiVersion) => {
        // Only what managedFields need carries a resourceVersion upward.
        const isForFields = apiVersion.endsWith("/v1") && metadataOf(object).resourceVersion !== undefined;
        return isForFields ? null : relabelled(object, apiVersion);
      });
      expect(await old("wiped").apply("view", { spec: { n: 2 } })).toMatchObject({ status: 500 });
      expect(await old("wiped").patch({ spec: { n: 3 } })).toMatchObject({ status: 200 });
      const managers = metadataOf(await client.get()).managedFields;
      if (release === "1.36") expect(managers).toBeUndefined();
      else expect(managers).toMatchObject([{ manager: "maker" }, { manager: "view" }]);
    });
  });

  it("uses a new caBundle within a second, and no connection that was made with the old one", async () => {
    const names: typeof samples = { ...samples, kind: "Trust", plural: "trusts" };
    await establishCrd(lab, labCrd(lab, names, versionsOf({}, {})));
    const object = lab.sample("trusted", names);
    await object.at("v1").apply("maker", { spec: { a: "a" } });
    expect(get(await object.at("v1beta1").get(), "spec", "a")).toBe("a");
    const other = await createAuthority({ commonName: "other", now: new Date(), days: 1 });
    const trust = (...certificates: readonly string[]) => {
      const caBundle = Buffer.from(certificates.join("")).toString("base64");
      const body = { spec: { conversion: { webhook: { clientConfig: { caBundle } } } } };
      const crd = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/trusts.lab.antechamber.dev";
      return lab.request("PATCH", crd, { body });
    };
    const path = `/apis/${samples.group}/v1beta1/namespaces/default/trusts/trusted`;
    const answers = async () => (await lab.request("GET", path)).text;
    const soon = { timeout: 1000, interval: 5 };
    await trust(other.certificate);
    await vi.waitFor(async () => expect(await answers()).toContain("signed by unknown authority"), soon);
    await trust(other.certificate, lab.authority.certificate);
    await vi.waitFor(async () => expect(await answers()).toContain('"a":"a"'), soon);
  });

  it.each([
    ["set", [{ type: "string" }, "a"]],
    [
      "map",
      [{ type: "object", required: ["name"], properties: { name: { type: "string" } } }, { name: "a" }],
    ],
  ] as const)(
    "removes a list of type %s with the last item that an applier gives up, and writes an empty one at the second apply",
    async (type, [items, item]) => {
      const kind = `Merged${type}`;
      const names: typeof samples = { ...samples, kind, plural: `${kind.toLowerCase()}s` };
      const keys = type === "map" ? { "x-kubernetes-list-map-keys": ["name"] } : {};
      const list = { type: "array", "x-kubernetes-list-type": type, ...keys, items };
      const spec = { type: "object", properties: { list } };
      const schema = { openAPIV3Schema: { type: "object", properties: { spec } } };
      const versions = [{ name: "v1", served: true, storage: true, schema }];
      // One version: nothing is converted.
      await establishCrd(lab, labCrd(lab, names, versions));
      const client = lab.sample("merged", names).at("v1");
      const applied = async (list: Json) => {
        await client.apply("maker", { spec: { list } });
        return get(await client.get(), "spec", "list");
      };
      expect(await applied([item])).toEqual([item]);
      expect(await applied([])).toBeUndefined();
      expect(await applied([])).toEqual([]);
      expect(await applied([])).toEqual([]);
    },
  );

  it("sends admission webhooks a write as its client sent it, if their rules list every served version", async () => {
    await admit(lab, "listed", ["v1", "v1beta1"]);
    await admit(lab, "hub-only", ["v1"]);
    const written = async (version: string) => {
      const name = `admitted-${version}`;
      const reviews = () => lab.admitted(name);
      await vi.waitFor(async () => {
        await lab
          .sample(name)
          .at(version)
          .apply(
            "maker",
            { metadata: { labels: { admit: "yes" } }, spec: { n: reviews().length } },
            { force: "force" },
          );
        expect(reviews().map(({ url }) => url.split("?")[0])).toEqual(
          expect.arrayContaining(["/admit/listed", "/admit/hub-only"]),
        );
      });
      return (path: string) => {
        const review = reviews().findLast(({ url }) => url.startsWith(`/admit/${path}`));
        const request = get(review?.body, "request");
        return [get(request, "kind", "version"), get(request, "requestKind", "version")];
      };
    };
    const [atV1, atV1beta1] = [await written("v1"), await written("v1beta1")];
    expect([atV1("listed"), atV1beta1("listed")]).toEqual([
      ["v1", "v1"],
      ["v1beta1", "v1beta1"],
    ]);
    expect([atV1("hub-only"), atV1beta1("hub-only")]).toEqual([
      ["v1", "v1"],
      ["v1", "v1beta1"],
    ]);
  });
}

/** Registers the lab's webhook for Samples of some versions, under a path of its own. */
async function admit(lab: Lab, name: string, apiVersions: readonly string[]): Promise<void> {
  const caBundle = Buffer.from(lab.authority.certificate).toString("base64");
  const webhook = {
    name: `${name}.lab.antechamber.dev`,
    clientConfig: { url: `${lab.webhook}/admit/${name}`, caBundle },
    rules: [
      {
        apiGroups: [samples.group ?? ""],
        apiVersions,
        operations: ["CREATE", "UPDATE"],
        resources: ["samples"],
      },
    ],
    matchPolicy: "Equivalent",
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    objectSelector: { matchLabels: { admit: "yes" } },
  };
  const body = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: { name },
    webhooks: [webhook],
  };
  const path = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
  expect(await lab.request("POST", path, { body })).toMatchObject({ status: 201 });
}

/** A view of v1beta1 carries `status.memory`; v1 never stores it. */
function carryInStatus(lab: Lab, name: string): void {
  lab.convert(name, (object, apiVersion) =>
    apiVersion.endsWith("/v1")
      ? set({ ...object, apiVersion }, "status", undefined)
      : { ...object, apiVersion, status: { memory: { says: "made anew" } } },
  );
}

/** v1beta1 has no word for `x`: it travels in `status.memory`, leaf by leaf; the emptied spec is dropped or left. */
function stashX(lab: Lab, name: string, emptied?: "leave spec empty"): void {
  lab.convert(name, (object, apiVersion) => {
    const isUp = apiVersion.endsWith("/v1");
    const from = isUp ? get(object, "status", "memory", "x") : get(object, "spec", "x");
    const { d: _, x: __, ...spec } = isObject(object.spec) ? object.spec : ({} as Record<string, Json>);
    const more = isUp && from !== undefined ? { ...spec, x: from } : spec;
    const isEmpty = Object.keys(more).length === 0 && (emptied === undefined || !isObject(object.spec));
    const converted = set({ ...object, apiVersion }, "spec", isEmpty ? undefined : more);
    return set(converted, "status", isUp || from === undefined ? undefined : { memory: { x: from } });
  });
}

/** The whole message of a read that fails. Since v1.37 the API server takes the stored object for a corrupt one. */
function failedRead(text: string): RegExp {
  const corrupt = String.raw`Internal error occurred: StorageError: corrupt object, .*: object not decodable revision=\d+: `;
  const prefix = release === "1.36" ? "" : corrupt;
  return new RegExp(`^${prefix}conversion webhook for ${samples.group}/v1, Kind=Sample failed: ${text}$`);
}

function messageOf(answer: Answer): string {
  return String(get(answer.body, "message"));
}

function bodyOf({ body }: Answer): JsonObject {
  return isObject(body) ? body : {};
}
