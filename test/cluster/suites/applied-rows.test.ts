import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/json/json.ts";
import { type RunningService, startService } from "../../support/service.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { contentOf } from "../content.ts";
import { createNamespace, register } from "../home.ts";
import { type ApiServer, startApiServer } from "../server.ts";
import { type Names, subject } from "../subject.ts";
import { untilServed } from "./served.ts";

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("an applier of fields that one row maps together", claims);

/** What one manager applies and then applies less of, and what is left; a client of another version only sets a label. */
interface Case {
  readonly kind: Names;
  readonly version: string;
  readonly first: JsonObject;
  readonly later: JsonObject;
}

const bed: Names = { kind: "Bed", plural: "beds", group: "garden.example.org" };
const person: Names = { kind: "Person", plural: "people", group: "office.example.org" };
const contact: Names = { kind: "Contact", plural: "contacts", group: "office.example.org" };
const crew: Names = { kind: "Crew", plural: "crews", group: "office.example.org" };
const webhooks = "test/kinds";

const cases: readonly (readonly [gives: string, given: Case])[] = [
  [
    "the street, and keeps the city",
    {
      kind: person,
      version: "v1beta1",
      first: { street: "Elm", city: "Way Bath" },
      later: { city: "Way Bath" },
    },
  ],
  [
    "the city, and keeps the street",
    {
      kind: person,
      version: "v1beta1",
      first: { street: "Elm", city: "Way Bath" },
      later: { street: "Elm" },
    },
  ],
  [
    "the rows, and keeps what is said of all of them",
    {
      kind: bed,
      version: "v1alpha2",
      first: { sunny: false, rows: [{ name: "a" }] },
      later: { sunny: false },
    },
  ],
  [
    "the rows, and keeps what an even newer version spreads over them",
    {
      kind: bed,
      version: "v1alpha1",
      first: { sunny: false, rows: ["a", "b"] },
      later: { sunny: false },
    },
  ],
  [
    "the name that repeats a key, and keeps its entry",
    {
      kind: crew,
      version: "v1beta1",
      first: { members: { ada: { name: "ada", role: "lead" }, bob: { name: "bob" } } },
      later: { members: { ada: { role: "lead" }, bob: { name: "bob" } } },
    },
  ],
  [
    "the same where the newer version has the map",
    {
      kind: crew,
      version: "v1",
      first: { shifts: { late: { name: "late", hours: 8 }, early: { name: "early" } } },
      later: { shifts: { late: { hours: 8 }, early: { name: "early" } } },
    },
  ],
];

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
    for (const { kind, version } of [...cases.map(([, each]) => each), { kind: contact, version: "v1beta1" }])
      await untilServed(server, kind as { group: string; plural: string }, [version, "v1"]);
    await createNamespace(server, "rows");
  }, 100_000);
  afterAll(() => Promise.all([server?.stop(), service?.stop()]));

  it.each(cases)("gives up %s", async (_, { kind, version, first, later }) => {
    const it = subject(server, kind, "rows", `one-${count++}`);
    const [applier, other] = [it.at(version), it.at(version === "v1" ? "v1beta1" : "v1")];
    await applier.apply("applier", { spec: first });
    await other.patch({ metadata: { labels: { seen: "yes" } } });
    await applier.apply("applier", { spec: later });
    expect(contentOf(await applier.get()).spec, said(it.steps)).toEqual(later);
    await applier.apply("applier", { spec: later });
    expect(contentOf(await applier.get()).spec, said(it.steps)).toEqual(later);
  });

  it("gives up the first of many without losing those of another manager", async () => {
    const it = subject(server, contact, "rows", `one-${count++}`);
    const [spoke, hub] = [it.at("v1beta1"), it.at("v1")];
    await hub.apply("applier", { spec: { phones: ["a", "x", "1"] } });
    await spoke.apply("other", { spec: { note: "late" } });
    await hub.apply("applier", { spec: { phones: ["1"] } });
    const { spec } = contentOf(await hub.get()) as { spec: { phones: readonly string[] } };
    expect(spec.phones, said(it.steps)).toContain("1");
  });
}

function said(steps: readonly { what: string; status: number; text: string }[]): string {
  return steps.map(({ what, status, text }) => `${what}: ${status} ${text}`).join("\n");
}
