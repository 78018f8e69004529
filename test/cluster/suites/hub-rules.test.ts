import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "../../../src/cluster/local/child.ts";
import { get, isArray, type Json, type JsonObject } from "../../../src/json/json.ts";
import { readYaml } from "../../../src/yaml/yaml.ts";
import { type RunningService, startService } from "../../support/service.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import type { Answer } from "../client.ts";
import { type ApiServer, startApiServer } from "../server.ts";
import { type ClientAt, metadataOf, type Names, subject } from "../subject.ts";
import { until, untilServed } from "./served.ts";

// Writes at an older version that an API server alone would accept, with the service registered.
if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("the rules of the newest version, on a real API server,", claims);

const group = "deeds.example.org";
const deeds: Names = { kind: "Deed", plural: "deeds", group };
const lenient: Names = { kind: "Draft", plural: "drafts", group };

function claims(): void {
  let server: ApiServer;
  let service: RunningService;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "antechamber-rules-"));
    await Promise.all([writeKind(folder, deeds, ""), writeKind(folder, lenient, 'hubRules: "warn",')]);
    [server, service] = await Promise.all([startApiServer(), startService(["--webhooks", folder])]);
    const printed = await manifestsOf(folder, service);
    await applied(
      server,
      printed.filter(({ kind }) => kind === "CustomResourceDefinition"),
    );
    for (const { plural } of [deeds, lenient])
      await untilServed(server, { group, plural }, ["v1beta1", "v1"]);
    // Objects from before the webhooks were registered: valid at v1beta1, and invalid at v1.
    for (const [name, spec] of Object.entries(old)) await made(at(name, "v1beta1"), spec);
    await applied(
      server,
      printed.filter(({ kind }) => kind !== "CustomResourceDefinition"),
    );
    await untilValidated((name) => at(name, "v1beta1"));
  }, 150_000);

  afterAll(async () => {
    await Promise.all([server?.stop(), service?.stop()]);
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  const at = (name: string, version: string, names = deeds) =>
    subject(server, names, "default", name).at(version);

  describe("apply to a client that creates at v1beta1", () => {
    it.each([
      [
        "a text that is too long for v1",
        { limit: "abcd" },
        ["spec.limit: Too long: may not be more than 3 bytes", unchecked],
      ],
      [
        "a value that a rule of v1 forbids",
        { word: "bad" },
        ["spec: Invalid value: word must not be bad (v1 rule)"],
      ],
      ["a list with a duplicate item", { tags: ["a", "a"] }, ['spec.tags[1]: Duplicate value: "a"']],
    ])("%s", async (_, more, causes) => {
      refused(await create(at("new", "v1beta1"), { must: "m", ...more }), causes);
    });

    it("without a field that v1 requires", async () => {
      refused(await create(at("new", "v1beta1"), { word: "a" }), ["spec.must: Required value", unchecked]);
    });

    it("by server-side apply", async () => {
      const answer = await at("new", "v1beta1").apply("other", { spec: { must: "m", limit: "abcd" } });
      refused(answer, ["spec.limit: Too long: may not be more than 3 bytes", unchecked]);
    });

    it("and the rules of an older version apply only to clients of that version", async () => {
      const byServer = await create(at("new", "v1beta1"), { must: "m", word: "bad-v1beta1" });
      refused(byServer, ["spec: Invalid value: word must not be bad-v1beta1 (v1beta1 rule)"]);
      taken(await create(at("only-v1beta1-forbids", "v1"), { must: "m", word: "bad-v1beta1" }));
      refused(await create(at("new", "v1"), { must: "m", word: "bad" }), [
        "spec: Invalid value: word must not be bad (v1 rule)",
      ]);
    });
  });

  describe("apply to a client that updates at v1beta1", () => {
    it("a field that v1 makes immutable, reported under its name at the version of the write", async () => {
      await made(at("moored", "v1"), { must: "m", mooring: "pier" });
      const cause = 'spec.anchor: Invalid value: "buoy": the mooring cannot be moved (v1 rule)';
      const old = at("moored", "v1beta1");
      refused(await old.patch({ spec: { anchor: "buoy" } }), [cause]);
      refused(await old.apply("other", { spec: { anchor: "buoy" } }, { force: "force" }), [cause]);
      const whole = await old.get();
      refused(await old.put({ ...whole, spec: { must: "m", anchor: "buoy" } }), [cause]);
      refused(await at("moored", "v1").patch({ spec: { mooring: "buoy" } }), [
        'spec.mooring: Invalid value: "buoy": the mooring cannot be moved (v1 rule)',
      ]);
      taken(await old.patch({ spec: { anchor: "pier", word: "other" } }));
      expect(get(await at("moored", "v1").get(), "spec", "mooring")).toBe("pier");
    });

    it("a text that is too long to another one that is too long", async () => {
      refused(await at("long", "v1beta1").patch({ spec: { limit: "abcde" } }), [
        "spec.limit: Too long: may not be more than 3 bytes",
        unchecked,
      ]);
    });

    it("a spec that breaks a rule, and still does: as at v1", async () => {
      const causes = ["spec: Invalid value: word must not be bad (v1 rule)"];
      refused(await at("ruled", "v1beta1").patch({ spec: { tags: ["a"] } }), causes);
      refused(await at("ruled", "v1").patch({ spec: { tags: ["a"] } }), causes);
      taken(await at("mended", "v1beta1").patch({ spec: { word: "good", tags: ["a"] } }));
    });

    it("a spec without a field that v1 requires: as at v1", async () => {
      const causes = ["spec.must: Required value", unchecked];
      refused(await at("lacking", "v1beta1").patch({ spec: { word: "other" } }), causes);
      refused(await at("lacking", "v1").patch({ spec: { word: "other" } }), causes);
    });

    it("the status, on writes of /status", async () => {
      await made(at("loud", "v1beta1"), { must: "m" });
      refused(await at("loud", "v1beta1").patchStatus({ status: { phase: "Shrill" } }), [
        'status.phase: Unsupported value: "Shrill": supported values: "Quiet", "Loud"',
        unchecked,
      ]);
      taken(await at("loud", "v1beta1").patchStatus({ status: { phase: "Loud" } }));
    });
  });

  describe.each(["v1beta1", "v1"])(
    "do not block writes of objects that were stored before, at %s:",
    (version) => {
      const broken = (name: string) => at(`${name}-${version}`, version);

      it("a client that changes another field", async () => {
        taken(await broken("long-elsewhere").patch({ spec: { tags: ["a"] } }));
      });

      it("a client that changes a label, an annotation, or nothing", async () => {
        for (const name of ["all-label", "lacking-label"]) {
          const client = broken(name);
          taken(await client.patch({ metadata: { labels: { seen: "yes" } } }));
          taken(await client.patch({ metadata: { annotations: { seen: "yes" } } }));
          taken(await client.put(await client.get()));
        }
      });

      it("a client that writes status", async () => {
        taken(await broken("all-status").patchStatus({ status: { phase: "Quiet" } }));
      });

      it("a client that removes a finalizer, or deletes the object", async () => {
        const client = broken("all-gone");
        taken(await client.patch({ metadata: { finalizers: ["deeds.example.org/wait"] } }));
        taken(await client.remove());
        expect(metadataOf(await client.get()).deletionTimestamp).toBeDefined();
        taken(await client.patch({ metadata: { finalizers: null } }));
        await expect(client.get()).rejects.toThrow("404");
      });
    },
  );

  it("only cause a warning if the kind says so", async () => {
    const draft = at("sketch", "v1beta1", lenient);
    const answer = await create(draft, { must: "m", limit: "abcd" });
    taken(answer);
    expect(warningOf(answer)).toContain("spec.limit: Too long: may not be more than 3 bytes");
    await made(at("firm", "v1", lenient), { must: "m", mooring: "pier" });
    const moved = await at("firm", "v1beta1", lenient).patch({ spec: { anchor: "buoy" } });
    taken(moved);
    expect(warningOf(moved)).toContain(
      'spec.anchor: Invalid value: "buoy": the mooring cannot be moved (v1 rule)',
    );
  });
}

const unchecked =
  "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";

const all = { word: "bad", limit: "abcd", anchor: "pier" };

/** The objects from before, by name. */
const old: Readonly<Record<string, JsonObject>> = {
  long: { must: "m", limit: "abcd" },
  ruled: { must: "m", word: "bad" },
  mended: { must: "m", word: "bad" },
  lacking: {},
  ...Object.fromEntries(
    ["v1beta1", "v1"].flatMap((version) => [
      [`long-elsewhere-${version}`, { must: "m", limit: "abcd" }],
      [`lacking-label-${version}`, {}],
      ...["label", "status", "gone"].map((what) => [`all-${what}-${version}`, all] as const),
    ]),
  ),
};

function create(client: ClientAt, spec: JsonObject): Promise<Answer> {
  return client.create(client.file({ spec }));
}

async function made(client: ClientAt, spec: JsonObject): Promise<void> {
  taken(await create(client, spec));
}

function taken({ status, text }: Answer): void {
  expect(status, text).toBeLessThan(300);
}

/** The header without the escapes of its quotes. */
function warningOf({ headers }: Answer): string {
  return String(headers.warning).replaceAll('\\"', '"');
}

function refused({ status, text, body }: Answer, causes: readonly string[]): void {
  expect(status, text).toBe(422);
  const found = get(body, "details", "causes");
  const lines = (isArray(found) ? found : []).map((each) => `${get(each, "field")}: ${get(each, "message")}`);
  expect(lines.toSorted(), text).toEqual([...causes].toSorted());
}

async function writeKind(folder: string, { kind, plural }: Names, more: string): Promise<void> {
  const place = join(folder, "deeds", plural);
  await mkdir(join(place, "examples"), { recursive: true });
  const example = { apiVersion: `${group}/v1`, kind, metadata: { name: "one" }, spec: { must: "m" } };
  const files = {
    "kind.ts": `
      import { defineKind, lens, move, version } from "antechamber";
      const same = ["spec.must", "spec.limit", "spec.word", "spec.tags", "status.phase"];
      export default defineKind({
        group: "${group}", kind: "${kind}", plural: "${plural}", scope: "Namespaced", ${more}
        versions: [
          version("v1beta1", lens(...same.map((each) => move(each, each)), move("spec.anchor", "spec.mooring"))),
          version("v1"),
        ],
      });`,
    "v1beta1.yaml": versionFile("v1beta1", "anchor", {}),
    "v1.yaml": versionFile("v1", "mooring", {
      limit: "maxLength: 3",
      tags: "x-kubernetes-list-type: set",
      phase: "enum: [Quiet, Loud]",
      mooring:
        "x-kubernetes-validations: [{ rule: self == oldSelf, message: the mooring cannot be moved (v1 rule) }]",
      spec: "required: [must]",
    }),
    "examples/one.yaml": JSON.stringify(example),
  };
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(place, name), text)));
}

function versionFile(name: string, mooring: string, more: Readonly<Record<string, string>>): string {
  const bad = name === "v1" ? "bad" : `bad-${name}`;
  const text = (field: string, limit = "maxLength: 40") => `{ type: string, ${more[field] ?? limit} }`;
  return `
name: ${name}
served: true
storage: ${name === "v1"}
subresources: { status: {} }
schema:
  openAPIV3Schema:
    type: object
    properties:
      spec:
        type: object
        ${more.spec ?? ""}
        x-kubernetes-validations:
          - { rule: "!has(self.word) || self.word != '${bad}'", message: word must not be ${bad} (${name} rule) }
        properties:
          must: ${text("must")}
          limit: ${text("limit")}
          ${mooring}: { type: string, maxLength: 40, ${more.mooring ?? ""} }
          word: ${text("word")}
          tags: { type: array, maxItems: 9, ${more.tags ?? ""}, items: { type: string, maxLength: 40 } }
      status:
        type: object
        properties:
          phase: ${text("phase")}
`.replaceAll(", ,", ",");
}

async function manifestsOf(folder: string, { port, caFile }: RunningService): Promise<readonly JsonObject[]> {
  const reach = ["--url", `https://127.0.0.1:${port}`, "--ca", caFile];
  const args = ["src/cli.ts", "manifests", "--webhooks", folder, ...reach];
  const printed = await run({ command: process.execPath, args }, process.env);
  if (printed.code !== 0) throw new Error(`the manifests are not printed: ${printed.stderr}`);
  return readYaml(printed.stdout).map(({ value }) => value as JsonObject);
}

async function applied(server: ApiServer, items: readonly Json[]): Promise<void> {
  const input = JSON.stringify({ apiVersion: "v1", kind: "List", items });
  const { code, stderr } = await server.kubectl(["apply", "-f", "-"], { input });
  if (code !== 0) throw new Error(`refused: ${stderr}`);
}

/** Webhooks are called some milliseconds after they were registered. */
async function untilValidated(probe: (name: string) => ClientAt): Promise<void> {
  let count = 0;
  const isRefused = async () => (await create(probe(`probe-${count++}`), all)).status === 422;
  await until(isRefused, "the validating webhook");
}
