import { readFileSync } from "node:fs";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type WebhookClient, webhookClient } from "../../../src/cluster/api/webhook-client.ts";
import { convert } from "../../../src/conversion/convert.ts";
import { parseJson, writeJson } from "../../../src/json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject, listAt, set } from "../../../src/json/json.ts";
import type { Kind } from "../../../src/kind/kind.ts";
import { loadKinds } from "../../../src/kind/load-kinds.ts";
import { bareOf, contentOf } from "../../../src/laws/bare.ts";
import { servingEngine } from "../../../src/laws/engine.ts";
import { type Setting, settingOf } from "../../../src/laws/setting.ts";
import { haveTargets, type RunningTarget, startTarget, targetsLeftOut } from "../webhook-targets.ts";

if (!haveTargets()) it(targetsLeftOut, () => {});
else describe("VolumeGroupSnapshotContent, beside the webhook of its project,", claims);

/** What is converted both ways. */
const runs = 500;

function claims(): void {
  let target: RunningTarget;
  let client: WebhookClient;
  let kind: Kind;
  let setting: Setting;
  beforeAll(async () => {
    target = await startTarget("external-snapshotter");
    client = webhookClient({ url: target.url, ca: readFileSync(target.caFile, "utf8"), timeout: 10_000 });
    const [found] = (await loadKinds(["examples/kinds/volumegroupsnapshotcontent"])).all;
    if (found === undefined) throw new Error("there is no kind");
    kind = found;
    setting = settingOf(kind, servingEngine);
  });
  afterAll(async () => {
    client?.close();
    await target?.stop();
  });

  /** Objects of a version as clients write them, without what conversions add. */
  const objectsOf = (version: number) => {
    const valid = setting.objects[version]?.valid;
    if (valid === undefined) throw new Error(`there are no objects of version ${version}`);
    return fc.sample(valid, { numRuns: runs, seed: Number(process.env.SEED) }).map((each) => bareOf(each));
  };

  async function upstream(object: JsonObject, desiredAPIVersion: string): Promise<Json> {
    const request = { uid: "1", desiredAPIVersion, objects: [object] };
    const review = { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", request };
    const answer = await client.post(writeJson(review));
    if (answer.state !== "answered") throw new Error(JSON.stringify(answer));
    return get(parseJson(answer.text), "response") ?? null;
  }

  it.each([
    [0, 1],
    [1, 0],
  ])("an object of version %i is at version %i what the project's Go makes of it", async (from, to) => {
    const desired = kind.versions[to]?.apiVersion ?? "";
    const seen: string[] = [];
    for (const object of objectsOf(from)) {
      const [theirs] = listAt(await upstream(object, desired), "convertedObjects") ?? [];
      if (!isObject(theirs)) throw new Error(`refused: ${writeJson(object)}`);
      const ours = convert(object, kind.chain, from, to);
      expect(withStatus(ours), writeJson(object)).toEqual(withStatus(theirs));
      seen.push(writeJson(object.status ?? null));
    }
    expect(seen.filter((status) => status.includes("snapshotHandle")).length).toBeGreaterThan(50);
  });

  it("an edit of a view, and nanoseconds, are kept where the project loses them", async () => {
    const [old, newer] = [0, 1].map((version) => kind.versions[version]?.apiVersion ?? "") as [
      string,
      string,
    ];
    const creationTime = parseJson("1700000000123456789");
    const status = { volumeSnapshotInfoList: [{ volumeHandle: "a", snapshotHandle: "b", creationTime }] };
    const metadata = { name: "one", uid: "8a1b7c1e-0001", generation: 1 };
    const stored = { apiVersion: newer, kind: "VolumeGroupSnapshotContent", metadata, status };
    const edited = (view: JsonObject): JsonObject => {
      const list = [{ volumeHandle: "a", snapshotHandle: "c" }];
      const { status } = view;
      return set(view, "status", { ...(isObject(status) ? status : {}), volumeSnapshotHandlePairList: list });
    };
    const infosOf = (object: Json | undefined) =>
      writeJson(get(object, "status", "volumeSnapshotInfoList") ?? null);

    const [shown = {}] = (listAt(await upstream(stored, old), "convertedObjects") ?? []).filter(isObject);
    const theirs = async (view: JsonObject) =>
      infosOf(listAt(await upstream(view, newer), "convertedObjects")?.[0]);
    expect(await theirs(edited(shown))).toContain('"snapshotHandle":"b"');
    expect(await theirs(shown)).toContain("1700000000123456800");

    const view = convert(stored, kind.chain, 1, 0);
    const ours = (written: JsonObject) => infosOf(convert(written, kind.chain, 0, 1));
    expect(ours(edited(view))).toBe('[{"volumeHandle":"a","snapshotHandle":"c"}]');
    expect(ours(view)).toContain("1700000000123456789");
  });

  it("v1 is converted, which the project's webhook refuses", async () => {
    const [object] = objectsOf(2);
    if (object === undefined) throw new Error("there is no object of v1");
    const answer = await upstream(object, kind.versions[0]?.apiVersion ?? "");
    expect(get(answer, "result", "status")).not.toBe("Success");
    expect(get(convert(object, kind.chain, 2, 0), "apiVersion")).toBe(kind.versions[0]?.apiVersion);
  });
}

/**
 * Spec and status, which is there. A snapshot without any handle is nothing at v1beta1, whose items require both; the project
 * shows one that v1beta1 forbids.
 */
function withStatus(object: JsonObject): JsonObject {
  const content = contentOf(object);
  const status = isObject(content.status) ? content.status : {};
  const pairs = status.volumeSnapshotHandlePairList;
  if (!isArray(pairs) || pairs.length === 0) return set(content, "status", status);
  const kept = pairs.filter((each) => !isObject(each) || Object.keys(each).length > 0);
  return set(
    content,
    "status",
    set(status, "volumeSnapshotHandlePairList", kept.length > 0 ? kept : undefined),
  );
}
