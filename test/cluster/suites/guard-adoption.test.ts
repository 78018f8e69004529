import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { get, isObject, type Json, type JsonObject, set } from "../../../src/json/json.ts";
import { readYaml } from "../../../src/yaml/yaml.ts";
import { antechamber } from "../../support/cli.ts";
import { type RunningService, startService } from "../../support/service.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { contentOf, differences, withField } from "../content.ts";
import { withCarrier } from "../guarded.ts";
import { expectOk } from "../kinds.ts";
import { type ApiServer, startApiServer } from "../server.ts";
import { metadataOf, type Names, subject, typed } from "../subject.ts";
import { haveTargets, type RunningTarget, startTarget, targetsLeftOut } from "../webhook-targets.ts";
import { publishedSides } from "./published-sides.ts";
import { until, untilServed } from "./served.ts";

// Clusters of Cluster API that are stored at the old version, the newer ones with upstream's own annotation, are taken over and
// given back. No object is written in between but by its clients.

if (requireBinaries() === undefined) it(leftOut, () => {});
else if (!haveTargets()) it(targetsLeftOut, () => {});
else describe("Clusters of before", { shuffle: false }, claims);

const cluster: Names = { kind: "Cluster", plural: "clusters", group: "cluster.x-k8s.io" };
const name = "clusters.cluster.x-k8s.io";
const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const own = "cluster.x-k8s.io/conversion-data";
const versions = ["v1beta1", "v1beta2"];

/** A field that only this version can say so, and what is written there; null takes it out. */
const onlyAt: Readonly<
  Record<string, { readonly path: readonly string[]; readonly values: readonly Json[] }>
> = {
  // Go does not print a false at v1beta1.
  v1beta2: { path: ["spec", "paused"], values: [false, null] },
  v1beta1: {
    path: ["spec", "topology", "rolloutAfter"],
    values: ["2026-04-01T06:45:00Z", "2026-05-01T06:45:00Z", null],
  },
};

function claims(): void {
  let server: ApiServer;
  let upstream: RunningTarget;
  let guard: RunningService;
  const before = new Map<string, JsonObject>();

  const clusterNamed = (object: string) => subject(server, cluster, "default", object);
  const read = (object: string, version: string) => clusterNamed(object).at(version).get();
  const made = (native: string) => (native === "v1beta2" ? "newer" : "older");

  beforeAll(async () => {
    [server, upstream] = await Promise.all([startApiServer(), startTarget("cluster-api")]);
    const [document] = readYaml(readFileSync(upstream.crd("clusters"), "utf8"));
    const crd = isObject(document?.value) ? withCarrier(document.value) : {};
    const caBundle = readFileSync(upstream.caFile).toString("base64");
    const webhook = { clientConfig: { url: upstream.url, caBundle }, conversionReviewVersions: ["v1"] };
    const converted = set(crd, "spec", "conversion", { strategy: "Webhook", webhook });
    await expectOk(server.request("POST", crds, { body: storedAt(converted, "v1beta1") }));
    await untilServed(server, { group: "", ...cluster }, versions);
    for (const { native, content } of publishedSides.filter(({ names }) => names.kind === "Cluster"))
      for (const object of [made(native), `${made(native)}-untouched`]) {
        const client = clusterNamed(object).at(native);
        const { status, ...rest } = content;
        expect((await client.create(client.file(rest))).text).toContain(object);
        expect((await client.patchStatus({ status: status ?? {} })).status).toBe(200);
        for (const version of versions)
          before.set(`${object} ${version}`, contentOf(await read(object, version)));
      }
  }, 120_000);
  afterAll(async () => {
    await guard?.stop();
    await Promise.all([server?.stop(), upstream?.stop()]);
  });

  const was = (object: string, version: string) => before.get(`${object} ${version}`) ?? {};
  /** What a client sees, without annotations that only carry data. */
  const seen = async (object: string, version: string) =>
    contentOf(withoutOwn(typed(await read(object, version))));
  const shownBefore = (object: string, version: string) => withoutOwn(was(object, version));

  it("are stored with upstream's annotation, where they were written at the new version", async () => {
    expect(annotationsOf(await read("newer", "v1beta1"))[own]).toMatch(
      /^\{"apiVersion":"cluster.x-k8s.io\/v1beta2"/,
    );
  });

  it("look the same at both versions once they are taken over, and do not show that annotation", async () => {
    guard = await startService(["serve", name, "--kubeconfig", server.kubeconfig], {}, undefined, "guard");
    const at = ["--url", `https://127.0.0.1:${guard.port}`, "--ca", guard.caFile];
    const installed = await antechamber(["guard", "install", name, ...at, "--kubeconfig", server.kubeconfig]);
    expect([installed.code, installed.stderr]).toEqual([0, ""]);
    await until(
      async () => annotationsOf(await read("newer", "v1beta2"))[own] === undefined && isAsked(guard),
      "the guard to be asked",
    );
    for (const object of ["newer", "older", "newer-untouched", "older-untouched"])
      for (const version of versions)
        expect([
          object,
          version,
          differences(shownBefore(object, version), await seen(object, version)),
        ]).toEqual([object, version, []]);
  });

  it.each(publishedSides.filter(({ names }) => names.kind === "Cluster"))(
    "made at $native keep everything when a client of $client replaces them without annotations, twice",
    async ({ native, client, edit }) => {
      const object = made(native);
      const there = clusterNamed(object).at(client);
      for (const _ of [1, 2]) {
        const view = withoutOwn(typed(await there.get()));
        const written = await there.put(withField(view, edit.client.path, edit.client.value));
        expect([written.status, written.text]).toEqual([200, expect.anything()]);
      }
      const meant = withField(shownBefore(object, native), edit.native.path, edit.native.value);
      expect(differences(meant, await seen(object, native))).toEqual([]);
    },
  );

  it.each(publishedSides.filter(({ names }) => names.kind === "Cluster"))(
    "made at $native are edited at $native too, and a client of $client undoes nothing",
    async ({ native, client, edit }) => {
      const object = made(native);
      const { path, values } = onlyAt[native] ?? { path: [], values: [] };
      const [here, there] = [clusterNamed(object).at(native), clusterNamed(object).at(client)];
      const edited = withField(shownBefore(object, native), edit.native.path, edit.native.value);
      for (const value of values) {
        const known = typed(await there.get());
        expect((await here.patch(withField({}, path, value))).status).toBe(200);
        const resourceVersion = metadataOf(await there.get()).resourceVersion ?? null;
        const unaware = set(known, "metadata", "resourceVersion", resourceVersion);
        expect((await there.put(unaware)).status).toBe(200);
        const meant = withField(edited, path, value ?? undefined);
        expect(differences(meant, await seen(object, native))).toEqual([]);
      }
    },
  );

  it("are given back, and upstream alone reads what it can say", async () => {
    const last = await Promise.all(["newer", "older"].map((object) => seen(object, "v1beta1")));
    const removed = await antechamber(["guard", "uninstall", name, "--kubeconfig", server.kubeconfig]);
    expect([removed.code, removed.stderr]).toEqual([0, ""]);
    await guard.stop();
    await until(async () => {
      const answers = await Promise.all(
        versions.map((version) => server.request("GET", `/apis/cluster.x-k8s.io/${version}/clusters`)),
      );
      return answers.every(({ status }) => status === 200);
    }, "upstream to convert alone");
    for (const [at, object] of ["newer", "older"].entries()) {
      expect(differences(last[at] ?? {}, await seen(object, "v1beta1"))).toEqual([]);
      expect(get(await read(object, "v1beta2"), "spec", "topology", "version")).toBe("v1.36.4");
    }
    // What no client wrote is what it was.
    for (const object of ["newer-untouched", "older-untouched"])
      for (const version of versions)
        expect(differences(was(object, version), contentOf(await read(object, version)))).toEqual([]);
  });
}

/** The CRD with one version that is stored. */
function storedAt(crd: JsonObject, stored: string): JsonObject {
  const versions = get(crd, "spec", "versions");
  const entries = (Array.isArray(versions) ? versions : []).filter(isObject);
  return set(
    crd,
    "spec",
    "versions",
    entries.map((each) => set(each, "storage", each.name === stored)),
  );
}

function annotationsOf(object: JsonObject): JsonObject {
  const { annotations } = metadataOf(object);
  return isObject(annotations) ? annotations : {};
}

/** An object or its content without upstream's annotation. */
function withoutOwn(object: JsonObject): JsonObject {
  const place = object.metadata === undefined ? object : metadataOf(object);
  const { [own]: _, ...annotations } = isObject(place.annotations) ? place.annotations : {};
  const rest = Object.keys(annotations).length === 0 ? undefined : annotations;
  return object.metadata === undefined
    ? set(object, "annotations", rest)
    : set(object, "metadata", "annotations", rest);
}

async function isAsked({ opsPort }: RunningService): Promise<boolean> {
  const text = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
  return /antechamber_conversion_requests_total\{kind="Cluster\.cluster\.x-k8s\.io"[^}]*\} [1-9]/.test(text);
}
