import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, it } from "vitest";
import { readAuditLogs } from "../../src/cli/audit-log.ts";
import { type AuditFacts, usersSince } from "../../src/cluster/lifecycle/audit.ts";
import { next } from "../../src/cluster/lifecycle/next.ts";

const kind = { group: "example.org", plural: "rooms" };
const crds = ["rooms.example.com", "rooms.example.org"];

interface Request {
  readonly group: string;
  readonly plural: string;
  readonly version: string;
  readonly user: string;
  readonly as?: string | undefined;
  readonly at: number;
  readonly hasEnded: boolean;
}

const requests = fc.array(
  fc.record({
    group: fc.constantFrom("example.org", "example.com"),
    plural: fc.constantFrom("rooms", "lights"),
    version: fc.constantFrom("v1", "v2"),
    user: fc.constantFrom("anna", 'a"b', "größe\n"),
    as: fc.option(fc.constantFrom("clerk", "anna"), { nil: undefined }),
    at: fc.nat(1_000),
    hasEnded: fc.boolean(),
  }),
  { minLength: 1, maxLength: 20 },
);

function eventsOf({ group, plural, version, user, as, at, hasEnded }: Request): readonly string[] {
  const stages = ["RequestReceived", "ResponseStarted", ...(hasEnded ? ["ResponseComplete"] : [])];
  return stages.map((stage, index) =>
    JSON.stringify({
      kind: "Event",
      apiVersion: "audit.k8s.io/v1",
      stage,
      verb: "watch",
      // The API server finds out whom a client impersonates after the first event.
      user: { username: user },
      ...(as === undefined || index === 0 ? {} : { impersonatedUser: { username: as } }),
      userAgent: "client/1",
      objectRef: { resource: plural, apiGroup: group, apiVersion: version, name: "rooms" },
      stageTimestamp: new Date(at * 10 + index).toISOString(),
    }),
  );
}

it("audit logs in several files, plain and compressed, name the clients of each version, as a model does", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "antechamber-audit-"));
  try {
    await fc.assert(
      fc.asyncProperty(requests, requests, fc.boolean(), async (first, second, isCut) => {
        const lines = [first, second].map((each) => each.flatMap(eventsOf).join("\n"));
        const files = [path.join(folder, "one.log"), path.join(folder, "two.log.gz")] as const;
        // A server that is writing the file has not ended its last line.
        await writeFile(
          files[0],
          `${lines[0]}\n${isCut ? '{"kind":"Event","objectRef":{"resource":"rooms"' : ""}`,
        );
        await writeFile(files[1], gzipSync(`${lines[1]}\n`));
        const audit = (await readAuditLogs(files, crds)).get("rooms.example.org") as AuditFacts;
        const ours = [...first, ...second].filter(
          (each) => each.group === kind.group && each.plural === kind.plural,
        );
        for (const version of ["v1", "v2"]) {
          const expected = new Map<string, { requests: number; last: number }>();
          for (const { user, as = user, at, hasEnded } of ours.filter((each) => each.version === version)) {
            const { requests: before, last } = expected.get(as) ?? { requests: 0, last: 0 };
            const ended = hasEnded ? 1 : 0;
            expected.set(as, { requests: before + ended, last: Math.max(last, at * 10 + 1 + ended) });
          }
          const found = usersSince(audit, version, 0).map(({ user, requests, last }) => [
            user,
            { requests, last },
          ]);
          expect(new Map(found as [string, { requests: number; last: number }][])).toEqual(expected);
        }
        expect(audit.events).toBe(ours.flatMap(eventsOf).length - ours.length);
      }),
      { numRuns: 60 },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

it.each([
  ["a log of another format", "2026-11-24 started\n", /one\.log:1: not an Event of audit\.k8s\.io\/v1/],
  ["an empty file", "", /one\.log: no event of an audit log/],
])("%s is wrong usage", async (_, content, message) => {
  const folder = await mkdtemp(path.join(tmpdir(), "antechamber-audit-"));
  try {
    const file = path.join(folder, "one.log");
    await writeFile(file, content);
    await expect(readAuditLogs([file], crds)).rejects.toThrow(message);
    await expect(readAuditLogs([path.join(folder, "none.log")], crds)).rejects.toThrow(
      /none\.log cannot be read/,
    );
    const compressed = path.join(folder, "one.gz");
    await writeFile(compressed, "not compressed");
    await expect(readAuditLogs([compressed], crds)).rejects.toThrow(
      /one\.gz cannot be read: incorrect header check/,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

const hour = 3_600_000;
const now = 1_000 * hour;
const client = { user: "anna", agent: "kubectl/v1.30", requests: 3, last: now - 2 * hour };

it.each([
  [
    "a client within the time",
    { clients: [client] },
    3,
    /clients have used v1 since .*: anna \(kubectl\/v1\.30; 3 requests/,
  ],
  ["a client before it", { clients: [client] }, 1, undefined],
  ["no event of the kind", { events: 0 }, 1, /has no event of this kind/],
  ["a log that begins later", { from: now - hour }, 3, /the audit log begins at .*, and must go back to/],
  ["a log that ended long ago", { to: now - 5 * hour }, 3, /the audit log ends at/],
])(
  "%s: a version is no longer served only if the log shows that too, whatever is assumed",
  (_, given, hours, reason) => {
    const { clients = [], ...rest } = given as { readonly clients?: (typeof client)[] };
    const audit = { from: now - 10 * hour, to: now, events: 7, clients: new Map([["v1", clients]]), ...rest };
    const usage = { start: "1", requests: 0, watches: 0 };
    const leaving = { version: "v1", usage, managed: 0, managers: [], apiServers: 3, audit };
    const state = {
      crd: "rooms.example.org",
      versions: ["v1", "v2"],
      served: ["v1", "v2"],
      storage: "v2",
      storedVersions: ["v2"],
      hasFailedMigration: false,
      conversion: { at: "the Service a/b" },
      losses: [],
      isForeign: false,
      isLeftAlone: false,
      webhooks: [],
      defined: ["v1", "v2"],
      replicas: [],
      now,
      leaving,
    };
    const conditions = {
      unusedFor: hours * hour,
      settle: 10_000,
      assume: ["unused"] as const,
      allowLoss: false,
    };
    const decision = next({ goal: "retire", version: "v1" }, state, conditions);
    expect(decision).toEqual(
      reason === undefined
        ? { decision: "take", step: { step: "stopServing", version: "v1" } }
        : { decision: "blocked", reason: expect.stringMatching(reason) },
    );
  },
);
