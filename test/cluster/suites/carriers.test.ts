import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Json, type JsonObject, set } from "../../../src/json/json.ts";
import { type RunningService, startService } from "../../support/service.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { contentOf, withField } from "../content.ts";
import { createNamespace, register } from "../home.ts";
import { type ApiServer, startApiServer } from "../server.ts";
import { type ClientAt, exported, metadataOf, type Names, type Subject, subject } from "../subject.ts";
import { untilServed } from "./served.ts";

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("copies of our carriers", claims);

const group = "garden.example.org";
const pump: Names = { kind: "Pump", plural: "pumps", group };
const webhooks = "test/kinds";

function claims(): void {
  let server: ApiServer;
  let service: RunningService;
  let count = 0;

  beforeAll(async () => {
    [server, service] = await Promise.all([startApiServer(), startService(["--webhooks", webhooks])]);
    await register(server, {
      url: `https://127.0.0.1:${service.port}`,
      caFile: service.caFile,
      webhooks,
    });
    await untilServed(server, pump as { group: string; plural: string }, ["v1alpha1", "v1beta1", "v1"]);
    await createNamespace(server, "copies");
  }, 100_000);
  afterAll(() => Promise.all([server?.stop(), service?.stop()]));

  const one = (): Subject => subject(server, pump, "copies", `pump-${count++}`);

  const stale: [string, (client: ClientAt, status: JsonObject) => Promise<unknown>][] = [
    ["a PUT", async (client, status) => client.putStatus({ ...(await client.get()), status })],
    ["a merge patch", async (client, status) => client.patchStatus({ status })],
    [
      "kubectl replace",
      async (client, status) =>
        client.kubectl(
          ["replace", "--subresource=status", "-f", "-"],
          set(await client.get(), "status", status),
        ),
    ],
    [
      "a forced apply",
      async (client, status) => client.apply("restorer", { status }, { status: "status", force: "force" }),
    ],
  ];

  it.each(stale)("in status, when old, undo nothing that the hub has said since: %s", async (_, write) => {
    const it = one();
    const [hub, spoke] = [it.at("v1"), it.at("v1beta1")];
    await hub.create(hub.file({ spec: { timeoutSeconds: 5 } }));
    const report = (status: JsonObject) => async () => hub.putStatus({ ...(await hub.get()), status });
    await report({ running: true, flow: 1, conditions: [{ type: "Primed", status: "True" }] })();
    const old = (await spoke.get()).status as JsonObject;
    await report({ running: true, flow: 2 })();
    await write(spoke, { ...old, running: false });
    expect(contentOf(await hub.get()).status, said(it)).toEqual({ running: false, flow: 2 });
  });

  it.each(stale)(
    "in status, when old, undo nothing that another spoke has said since: %s",
    async (_, write) => {
      for (const version of ["v1beta1", "v1"]) {
        const it = one();
        const [oldest, writer] = [it.at("v1alpha1"), it.at(version)];
        await oldest.create(oldest.file({ spec: { timeout: "5s" } }));
        await oldest.putStatus({ ...(await oldest.get()), status: { running: true, phase: "Starting" } });
        const old = (await writer.get()).status as JsonObject;
        await oldest.putStatus({ ...(await oldest.get()), status: { running: true, phase: "Running" } });
        await write(writer, { ...old, running: false });
        expect(contentOf(await oldest.get()).status, said(it)).toEqual({ running: false, phase: "Running" });
      }
    },
  );

  it("in the status of an export bring back what every version says, through /status at any version", async () => {
    for (const version of ["v1alpha1", "v1beta1", "v1"]) {
      const it = one();
      const [oldest, middle, hub, writer] = [
        it.at("v1alpha1"),
        it.at("v1beta1"),
        it.at("v1"),
        it.at(version),
      ];
      await hub.create(hub.file({ spec: { timeoutSeconds: 5 } }));
      await hub.putStatus({ ...(await hub.get()), status: { running: true, flow: 1 } });
      await oldest.patchStatus({ status: { phase: "Running" } });
      await middle.patchStatus({ status: { summary: "fine" } });
      const { status = {} } = await writer.get();
      await recreate(writer);
      await writer.putStatus({ ...(await writer.get()), status });
      expect(contentOf(await oldest.get()).status, said(it)).toEqual({ running: true, phase: "Running" });
      expect(contentOf(await middle.get()).status, said(it)).toEqual({ running: true, summary: "fine" });
      expect(contentOf(await hub.get()).status, said(it)).toEqual({ running: true, flow: 1 });
    }
  });

  // What was never deleted is refused something, too: a map whose last field an applier gives up, while it has another manager.
  it("in an object created from an export leave it as open to server-side apply as it was", async () => {
    const statuses = async (version: string | undefined, first: JsonObject, second: JsonObject) => {
      const it = one();
      const oldest = it.at("v1alpha1");
      await oldest.create(oldest.file({ spec: exportedSpec }));
      if (version !== undefined) await recreate(it.at(version));
      const content = contentOf(await oldest.get());
      for (const each of [first, second]) await oldest.apply("applier", each, { force: "force" });
      expect(content.spec, said(it)).toEqual(exportedSpec);
      return it.steps.slice(-2).map(({ status }) => status);
    };
    for (const first of applied) {
      for (const second of applied) {
        const before = await statuses(undefined, first, second);
        for (const version of ["v1alpha1", "v1beta1", "v1"]) {
          const after = await statuses(version, first, second);
          expect([before, [200, 200]], JSON.stringify([version, first, second])).toContainEqual(after);
        }
      }
    }
  }, 60_000);

  it("do not bring back what a client of another version has replaced and then removed", async () => {
    for (const version of ["v1", "v1beta1"]) {
      const it = one();
      const [oldest, other] = [it.at("v1alpha1"), it.at(version)];
      const spec = {
        timeout: "1.5s",
        owner: "ida",
        zones: [
          { name: "a", note: "b" },
          { name: "c", note: "d" },
        ],
      };
      await oldest.create(oldest.file({ spec }));
      const [field, value] = version === "v1" ? ["timeoutSeconds", 60] : ["timeout", "60s"];
      await other.patch({ spec: { [field as string]: value as Json, zones: [{ name: "c" }] } });
      await other.patch({ spec: { [field as string]: null, zones: [{ name: "a" }, { name: "c" }] } });
      expect(contentOf(await oldest.get()).spec, said(it)).toEqual({
        owner: "ida",
        zones: [{ name: "a" }, { name: "c", note: "d" }],
      });
      await unchanged(oldest);
      await unchanged(it.at("v1beta1"));
    }
  });

  it("leave room for the annotations of users", async () => {
    const it = one();
    const [hub, spoke] = [it.at("v1"), it.at("v1beta1")];
    const manual = noise(90_000);
    await hub.create(hub.file({ spec: { timeoutSeconds: 5, manual } }));
    await spoke.patch({ metadata: { annotations: { note: "x".repeat(200 * 1024) } } });
    await spoke.patch({ spec: { timeout: "6s" } });
    expect(it.steps.map(({ status, text }) => (status < 300 ? "" : text)).join(""), said(it)).toBe("");
    expect(contentOf(await hub.get()).spec).toEqual({ timeoutSeconds: 6, manual });
  });

  it("leave room for the annotations of users where they are stored, too", async () => {
    const it = one();
    const [hub, spoke] = [it.at("v1"), it.at("v1alpha1")];
    const zones = Array.from({ length: 60 }, (_, at) => ({ name: `zone-${at}`, note: noise(12) }));
    await spoke.create(spoke.file({ spec: { timeout: "1.5s", zones } }));
    await hub.patch({ metadata: { annotations: { note: "x".repeat(255 * 1024) } } });
    await hub.patch({ metadata: { labels: { seen: "yes" } } });
    expect(it.steps.map(({ status, text }) => (status < 300 ? "" : text)).join(""), said(it)).toBe("");
    expect(contentOf(await spoke.get()).spec).toEqual({ timeout: "1.5s", zones });
  });

  const ways = [[], ["--server-side", "--force-conflicts"]].flatMap((options) => [
    { as: "an export", file: exported, options },
    { as: "an export without its stamp", file: withoutStamp, options },
  ]);

  it.each(ways)(
    "in $as that is applied again and again, $options, write nothing and have no manager",
    async ({ file, options }) => {
      const it = one();
      const [hub, spoke] = [it.at("v1"), it.at("v1beta1")];
      await spoke.create(spoke.file({ spec: { timeout: "5s", zones: [{ name: "a" }, { name: "b" }] } }));
      await hub.patch({ spec: { manual: "first" } });
      await hub.putStatus({ ...(await hub.get()), status: { running: true, flow: 1 } });
      const inGit = file(exported(await spoke.get()));
      await hub.putStatus({ ...(await hub.get()), status: { running: false, flow: 2 } });
      const apply = () => spoke.kubectl(["apply", ...options, "-f", "-"], inGit);
      await apply();
      const wrote: string[] = [];
      for (let round = 0; round < 6; round++) {
        if (round % 2 === 1) await hub.patch({ spec: { manual: `manual ${round}` } });
        const before = await spoke.get();
        await apply();
        const after = await spoke.get();
        if (versionOf(before) !== versionOf(after)) wrote.push(JSON.stringify([round, before, after]));
      }
      expect(wrote).toEqual([]);
      const managers = JSON.stringify(metadataOf(await spoke.get()).managedFields);
      expect(managers).not.toContain("onversion");
      expect(managers, "the client of the hub still manages its field").toContain("f:manual");
      expect(contentOf(await hub.get())).toMatchObject({
        spec: { manual: "manual 5" },
        status: { running: false, flow: 2 },
      });
    },
    60_000,
  );

  it("show little of themselves in kubectl diff", async () => {
    const it = one();
    const [hub, spoke] = [it.at("v1"), it.at("v1beta1")];
    await spoke.create(spoke.file({ spec: { timeout: "5s", zones: [{ name: "a" }, { name: "b" }] } }));
    await hub.patch({ spec: { manual: "first" } });
    const file = withoutStamp(exported(await spoke.get()));
    await spoke.kubectl(["apply", "-f", "-"], file);
    await spoke.kubectl(["diff", "-f", "-"], withField(file, ["spec", "timeout"], "7s"));
    const lines =
      it.steps
        .at(-1)
        ?.text.split("\n")
        .filter((line) => /^[-+] /.test(line)) ?? [];
    // The stamp says from which generation a carrier was made: nothing else tells an outdated one from a current one.
    const [gone, come] = ["-", "+"].map((sign) =>
      lines
        .filter((line) => line.startsWith(sign))
        .map((line) => line.slice(1).replace(/(generation"?:) ?\d+/, "$1")),
    );
    expect(gone?.filter((line) => !come?.includes(line))).toEqual(["  timeout: 5s"]);
    expect(lines.length).toBe(8);
  });
}

const exportedSpec: JsonObject = {
  timeout: "1.5s",
  owner: "ida",
  inlet: { filter: { mesh: 40 } },
  zones: [{ name: "a", note: "b" }],
};

const applied: readonly JsonObject[] = [
  { metadata: { labels: { seen: "yes" } } },
  { spec: { owner: "bo" } },
  { spec: { inlet: { filter: { mesh: 41 } } } },
  { spec: { zones: [{ name: "b", note: "x" }] } },
  { spec: {} },
];

/** Deletes an object and creates it from its export. */
async function recreate(client: ClientAt): Promise<void> {
  const file = exported(await client.get());
  await client.remove();
  await client.create(asNew(file));
}

async function unchanged(client: ClientAt): Promise<void> {
  const before = await client.get();
  await client.put(before);
  expect(versionOf(await client.get()), `an unchanged PUT at ${client.version}`).toBe(versionOf(before));
}

function versionOf(object: JsonObject): string {
  return String(metadataOf(object).resourceVersion);
}

function withoutStamp(object: JsonObject): JsonObject {
  return set(
    object,
    "metadata",
    set(
      set(set(metadataOf(object), "generation", undefined), "uid", undefined),
      "creationTimestamp",
      undefined,
    ),
  );
}

/** What an export says of a new object: without what the server gave to the old one. */
function asNew(object: JsonObject): JsonObject {
  return set(object, "metadata", set(metadataOf(object), "uid", undefined));
}

function said({ steps }: Subject): string {
  return steps.map(({ what, status, text }) => `${status} ${what} ${text.slice(0, 3000)}`).join("\n");
}

function noise(bytes: number): string {
  let state = 2_463_534_242;
  const drawn = Buffer.alloc(bytes);
  for (let index = 0; index < bytes; index++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    drawn[index] = state & 255;
  }
  return drawn.toString("base64");
}
