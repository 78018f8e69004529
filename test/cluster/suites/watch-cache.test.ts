import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { get, isArray, isObject, type Json, type JsonObject } from "../../../src/json/json.ts";
import { leftOut, releaseOf, requireBinaries } from "../binaries.ts";
import { putStored, storedObjects } from "../etcd.ts";
import { group, type Home, startHome } from "../home.ts";
import { crdPath, create, expectOk, list, setStorage } from "../kinds.ts";

// KEP-6178: while a watch cache of the hub is filled with objects that are stored at a spoke, the API server of v1.37 converts
// up to ten of them at once, and that of v1.36 one. A long run: WATCH_CACHE_OBJECTS=10000 KUBERNETES=1.37.

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("a watch cache of the hub that is filled from objects of a spoke", claims);

const count = Number(process.env.WATCH_CACHE_OBJECTS ?? 300);
/** Objects that are written to etcd at a time. */
const atOnce = 50;

function claims(): void {
  let home: Home;
  beforeAll(async () => {
    home = await startHome();
    await setStorage(home, "lights", "v1beta1");
    await storedAs("v1beta1");
    const [stored] = await storedObjects(home, "lights");
    if (stored === undefined) throw new Error("no object is stored");
    for (let from = 1; from < count; from += atOnce) {
      const numbers = Array.from({ length: Math.min(atOnce, count - from) }, (_, index) => from + index);
      await Promise.all(
        numbers.map((number) => putStored(home, "lights", `lamp-${number}`, named(stored.object, number))),
      );
    }
  }, 300_000);
  afterAll(() => home?.stop());

  it(`has all ${count} of them, each converted by the service`, async () => {
    const before = await conversions();
    const previous = await initialization();
    const began = performance.now();
    // A changed CRD has its caches filled anew.
    const body = { spec: { names: { shortNames: ["lamp"] } } };
    await expectOk(home.request("PATCH", crdPath("lights"), { body }));
    await expect.poll(filled, { timeout: 240_000, interval: 20 }).toBe(count);
    const seconds = (performance.now() - began) / 1000;
    const converted = (await conversions()) - before;
    expect(converted).toBeGreaterThanOrEqual(count);
    const lights = Object.values(await list(home, "lights", "v1"));
    expect(lights).toHaveLength(count);
    for (const light of lights) expect(get(light, "spec", "device", "address")).toBe("matter://lamp");
    const now = await initialization();
    console.log(
      `${count} objects of v1beta1 in a cache of v1, on v${releaseOf(process.env)}: listed after ${seconds.toFixed(2)} s, ${(converted / seconds).toFixed(0)} conversions a second; ` +
        `the API server says ${now === undefined ? "nothing" : `${(now - (previous ?? 0)).toFixed(2)} s for the caches of the kind`}`,
    );
  }, 300_000);

  /** How many objects of the new version the cache of v1 shows; undefined while it is not filled. */
  async function filled(): Promise<number | undefined> {
    const crd = await expectOk(home.request("GET", crdPath("lights")));
    const shortNames = get(crd, "status", "acceptedNames", "shortNames");
    if (!isArray(shortNames) || !shortNames.includes("lamp")) return undefined;
    const path = `/apis/${group}/v1/namespaces/default/lights?resourceVersion=0`;
    const { status, body } = await home.request("GET", path);
    const items = get(body, "items");
    return status === 200 && isArray(items) ? items.length : undefined;
  }

  async function storedAs(version: string): Promise<void> {
    const light: JsonObject = {
      apiVersion: `${group}/v1`,
      kind: "Light",
      metadata: { name: "lamp-0" },
      spec: { device: { address: "matter://lamp" } },
    };
    await create(home, "lights", light);
    await expect
      .poll(
        async () => {
          const body = { metadata: { labels: { written: String(performance.now()).replace(".", "-") } } };
          await expectOk(
            home.request("PATCH", `/apis/${group}/v1/namespaces/default/lights/lamp-0`, { body }),
          );
          return (await storedObjects(home, "lights"))[0]?.apiVersion;
        },
        { timeout: 30_000 },
      )
      .toBe(`${group}/${version}`);
  }

  async function conversions(): Promise<number> {
    const text = await (await fetch(`http://127.0.0.1:${home.service.opsPort}/metrics`)).text();
    const counts = text.matchAll(/^antechamber_conversion_objects_total\{kind="Light\.[^}]*\} (\d+)$/gm);
    return [...counts].reduce((sum, [, number]) => sum + Number(number), 0);
  }

  /** Seconds that the API server has spent with filling caches of Lights; undefined for a release that does not say. */
  async function initialization(): Promise<number | undefined> {
    const { text } = await home.request("GET", "/metrics");
    const sums = [
      ...text.matchAll(/^apiserver_watch_cache_initialization_duration_seconds_sum\{([^}]*)\} (\S+)$/gm),
    ];
    const own = sums.filter(([, labels = ""]) => labels.includes("lights"));
    return own.length === 0 ? undefined : own.reduce((sum, [, , seconds]) => sum + Number(seconds), 0);
  }
}

function named(object: JsonObject, number: number): Json {
  const metadata = isObject(object.metadata) ? object.metadata : {};
  const uid = `4b3a0c1e-0000-4000-8000-${String(number).padStart(12, "0")}`;
  return { ...object, metadata: { ...metadata, name: `lamp-${number}`, uid } };
}
