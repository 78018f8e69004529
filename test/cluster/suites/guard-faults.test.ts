import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { get, type Json, type JsonObject, listAt, set, textAt } from "../../../src/json/json.ts";
import { writeYaml } from "../../../src/yaml/yaml.ts";
import { answerTo, type Conversion, withSpec } from "../../checks/webhook/webhooks.ts";
import { widget, widgets } from "../../guard/guarded.ts";
import { type Act, type MisbehavingServer, serverOf } from "../../guard/upstream-server.ts";
import { antechamber } from "../../support/cli.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import type { Answer } from "../client.ts";
import { registerGuard, startGuard } from "../guarded.ts";
import { createNamespace } from "../home.ts";
import { expectOk } from "../kinds.ts";
import { type ApiServer, startApiServer } from "../server.ts";
import { until } from "./served.ts";

// An upstream fails in one way or another while a hundred requests a second come in: what needs it fails by name or is right, all
// else goes on, and nothing is wrong afterwards. A model knows what was written.

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("under a hundred reads and writes a second", claims);

interface Fault {
  readonly name: string;
  readonly act?: Act;
  /** Whether the upstream's process is gone. */
  readonly isGone?: boolean;
  /** What fails at the old version; otherwise the guard answers for the upstream. */
  readonly fails: "reads and writes" | "writes" | "writes of one object";
}

/** It loses what v1 does not have. */
const losing: Conversion = (object, desired) =>
  withSpec({ ...object, apiVersion: desired }, (spec) => set(spec, "secret", undefined));
const sound: Act = (review) => answerTo(review, losing);
const isBad = (review: string) => review.includes('"name":"w13"');

const faults: readonly Fault[] = [
  { name: "is killed", isGone: true, fails: "reads and writes" },
  { name: "hangs", act: () => "hang", fails: "reads and writes" },
  {
    name: "answers after five seconds",
    act: (review) => ({ text: answerTo(review, losing), after: 5000 }),
    fails: "reads and writes",
  },
  { name: "answers garbage", act: () => "<html>oops</html>", fails: "writes" },
  {
    name: "panics on one object of 500",
    act: (review) => (isBad(review) ? "close" : sound(review)),
    fails: "writes of one object",
  },
];

const count = 500;
/** While a fault lasts: requests, and milliseconds between two of them. */
const [load, pace] = [400, 10];
const names = Array.from({ length: count }, (_, at) => `w${at}`);

function claims(): void {
  let act: Act = sound;
  let upstream: MisbehavingServer;
  let server: ApiServer;
  const ends: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    upstream = await serverOf(
      (review) => act(review),
      (end) => ends.push(end),
    );
    server = await guardedServer(upstream, ends);
  });
  afterAll(async () => {
    for (const end of ends.toReversed()) await end();
  });

  it.each(faults)(
    "an upstream that $name spoils nothing",
    async (fault) => {
      const [busy, spare] = [`busy-${faults.indexOf(fault)}`, `spare-${faults.indexOf(fault)}`];
      for (const namespace of [busy, spare]) await createNamespace(server, namespace);
      const list = (version: string, namespace = busy) =>
        `/apis/example.com/${version}/namespaces/${namespace}/widgets`;
      let isFaulty = false;
      onTestFinished(async () => {
        act = sound;
        await restarted(upstream);
      });
      const model = new Map<string, { sizes: Json[]; secret: string }>();
      const created = names.map(async (name, size) => {
        const body = widget("v2", { size, secret: `s${size}` }, { name, namespace: busy });
        await expectOk(server.request("POST", list("v2"), { body }));
        model.set(name, { sizes: [size], secret: `s${size}` });
      });
      await Promise.all(created);
      const before = await bytesAt(server, list("v1"));
      await expectOk(
        server.request("POST", list("v2", spare), {
          body: widget("v2", { secret: "s" }, { namespace: spare }),
        }),
      );
      let seen = 0;
      const watch = await server.watch(
        `${list("v2")}?resourceVersion=${before.resourceVersion}`,
        () => seen++,
      );
      onTestFinished(() => watch.stop());

      const failed: { readonly name: string; readonly isWrite: boolean; readonly text: string }[] = [];
      const wrong: string[] = [];
      const inUse = new Set<string>();
      /** A read or a write at one of the versions, of an object that no other request is about. */
      const request = async (at: number): Promise<void> => {
        const name = names[(at * 37) % count];
        const known = name === undefined ? undefined : model.get(name);
        if (name === undefined || known === undefined || inUse.has(name)) return;
        inUse.add(name);
        try {
          await [readOld, writeOld, writeNew, readNew][at % 4]?.(name, known, at);
        } finally {
          inUse.delete(name);
        }
      };
      type Known = { sizes: Json[]; secret: string };
      const judged = (version: string, name: string, { sizes, secret }: Known, object: Json | undefined) => {
        const [size, shown] = [get(object, "spec", "size"), get(object, "spec", "secret")];
        if (!sizes.includes(size ?? null))
          wrong.push(`${name} at ${version}: size ${size}, not ${sizes.join(" or ")}`);
        if (shown !== (version === "v2" ? secret : undefined))
          wrong.push(`${name} at ${version}: secret ${shown}`);
      };
      // The API server breaks off a request that takes longer than its client waits.
      const ask = (
        method: string,
        path: string,
        details = {},
      ): Promise<Pick<Answer, "status" | "text" | "body">> =>
        server
          .request(method, path, details)
          .catch((error: Error) => ({ status: 0, text: error.message, body: undefined }));
      // Only where the answer is a failure, there is no need to wait longer.
      const inTime = (version: string, name: string) => {
        const fails = isFaulty && version === "v1" && fault.fails === "reads and writes";
        return `${list(version)}/${name}?timeout=${fails ? 2 : 30}s`;
      };
      const readOld = async (name: string, known: Known) => {
        const answer = await ask("GET", inTime("v1", name));
        if (answer.status === 200) judged("v1", name, known, answer.body);
        else failed.push({ name, isWrite: false, text: answer.text });
      };
      const writeOld = async (name: string, known: Known, at: number) => {
        const size = 10_000 + at;
        const answer = await ask("PATCH", inTime("v1", name), { body: { spec: { size } } });
        // What is stored already may fail to be shown.
        known.sizes = answer.status === 200 ? [size] : [...known.sizes, size];
        if (answer.status !== 200) failed.push({ name, isWrite: true, text: answer.text });
      };
      const writeNew = async (name: string, known: Known, at: number) => {
        const secret = `t${at}`;
        const answer = await server.request("PATCH", inTime("v2", name), { body: { spec: { secret } } });
        if (answer.status === 200) known.secret = secret;
        else wrong.push(`a write at the stored version failed: ${answer.text}`);
      };
      const readNew = async (name: string, known: Known) => {
        const answer = await server.request("GET", inTime("v2", name));
        if (answer.status === 200) judged("v2", name, known, answer.body);
        else wrong.push(`a read at the stored version failed: ${answer.text}`);
      };

      isFaulty = true;
      act = fault.act ?? sound;
      if (fault.isGone === true) await upstream.close();
      const begun = performance.now();
      const pending: Promise<void>[] = [];
      for (let at = 0; at < load; at++) {
        pending.push(request(at));
        await wait(pace);
      }
      const rate = load / ((performance.now() - begun) / 1000);
      // What needs no conversion goes on: lists, the storage migrator, the deletion of a namespace.
      expect(listAt(await expectOk(server.request("GET", list("v2"))), "items")).toHaveLength(count);
      const migrated = await antechamber([
        "migrate",
        "widgets.example.com",
        "--kubeconfig",
        server.kubeconfig,
      ]);
      expect([migrated.code, migrated.stderr]).toEqual([0, expect.anything()]);
      await expectOk(server.request("DELETE", list("v2", spare)));
      expect(listAt(await expectOk(server.request("GET", list("v2", spare))), "items")).toEqual([]);
      await Promise.all(pending);
      if (fault.fails !== "reads and writes") {
        const now = await bytesAt(server, list("v1"));
        expect(now.objects.size).toBe(count);
        for (const [name, text] of before.objects)
          if (name !== "w13" && !touched(model.get(name), Number(name.slice(1))))
            expect(now.objects.get(name)).toBe(text);
      }
      console.log(
        `${fault.name}: ${Math.round(rate)} requests a second, ${failed.length} of ${load} failed, ${seen} events`,
      );
      expect(wrong).toEqual([]);
      const reasons = /the upstream (?:\S+ cannot be used|does not convert it)|[Tt]imeout|socket hang up/;
      expect(failed.filter(({ text }) => !reasons.test(text))).toEqual([]);
      if (fault.fails === "writes of one object")
        expect(failed.filter(({ name }) => name !== "w13")).toEqual([]);
      else expect(failed.length).toBeGreaterThan(0);
      if (fault.fails !== "reads and writes") expect(failed.filter(({ isWrite }) => !isWrite)).toEqual([]);
      expect(seen).toBeGreaterThan(load / 8);

      isFaulty = false;
      act = sound;
      // As a process that hangs is restarted.
      if (fault.fails === "reads and writes") await restarted(upstream);
      await until(
        async () => (await ask("GET", inTime("v1", "w6"))).status === 200,
        "the upstream to be asked again",
      );
      failed.length = 0;
      for (const name of names) {
        const known = model.get(name);
        if (known === undefined) continue;
        await readOld(name, known);
        await readNew(name, known);
      }
      expect([wrong, failed]).toEqual([[], []]);
    },
    180_000,
  );
}

async function restarted(upstream: MisbehavingServer): Promise<void> {
  await upstream.close();
  await upstream.open();
}

function touched(known: { sizes: Json[]; secret: string } | undefined, size: number): boolean {
  return known === undefined || known.sizes.join() !== String(size) || known.secret !== `s${size}`;
}

/** An API server whose Widgets are guarded; what ends it is added to `ends`. */
async function guardedServer(
  upstream: { readonly url: string; readonly ca: string },
  ends: (() => Promise<unknown>)[],
): Promise<ApiServer> {
  const folder = mkdtempSync(path.join(tmpdir(), "antechamber-guard-faults-"));
  ends.push(async () => rmSync(folder, { recursive: true, force: true }));
  const [caFile, crdFile] = ["upstream.crt", "widgets.yaml"].map((name) => path.join(folder, name));
  writeFileSync(caFile ?? "", upstream.ca);
  writeFileSync(crdFile ?? "", writeYaml(set(widgets, "status", undefined)));
  const server = await startApiServer();
  ends.push(() => server.stop());
  const guard = await startGuard({ url: upstream.url, caFile: caFile ?? "" }, [crdFile ?? ""]);
  ends.push(() => guard.stop());
  await registerGuard(server, guard);
  return server;
}

/** What a list shows of each object, as bytes, without what changes with each write. */
async function bytesAt(server: ApiServer, list: string) {
  const body = await expectOk(server.request("GET", list));
  const entries = listAt(body, "items").map((each): [string, string] => {
    const object: JsonObject = set(each as JsonObject, "metadata", "resourceVersion", undefined);
    return [
      textAt(object, "metadata", "name"),
      JSON.stringify(set(object, "metadata", "managedFields", undefined)),
    ];
  });
  return { objects: new Map(entries), resourceVersion: textAt(body, "metadata", "resourceVersion") };
}
