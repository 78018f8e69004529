import { describe, expect, it } from "vitest";
import type {
  Facts,
  Installation,
  Replica,
  Rotation,
  TargetFacts,
  VersionFacts,
} from "../../src/cli/status/facts.ts";
import { problemsOf } from "../../src/cli/status/problems.ts";
import { statusText } from "../../src/cli/status/text.ts";

// What it reads of a cluster: test/cluster/suites/evolve.test.ts.

const now = Date.UTC(2026, 10, 24, 12);
const [hour, day] = [3_600_000, 86_400_000];
const valid = { notBefore: now - hour, notAfter: now + 29 * day };
const authority = { id: "ca-1", notBefore: now - 100 * day, notAfter: now + 265 * day };
const crd = "rooms.example.org";
const target = { kind: "CustomResourceDefinition", name: crd } as const;

const replica: Replica = {
  name: "pod-1",
  serial: "5f",
  leaves: [{ issuer: "ca-1", ...valid }],
  versions: { [crd]: ["v1beta1", "v1"] },
};
const rotation: Rotation = { phase: "stable", authority, leaf: { id: "leaf-1", ...valid } };
const versions: VersionFacts = {
  versions: ["v1beta1", "v1"],
  served: ["v1beta1", "v1"],
  storage: "v1",
  storedVersions: ["v1beta1", "v1"],
  hasFailedMigration: false,
  conversion: { value: { at: "the Service antechamber-system/antechamber" } },
  losses: [],
  usage: {
    value: [
      { start: "1", requests: 12, watches: 1 },
      { start: "1", requests: 40, watches: 0 },
    ],
  },
  managers: {
    value: {
      of: new Map([["v1beta1", { objects: 3, managers: ["kubectl-edit (2026-11-24T11:00:00Z)", "argocd"] }]]),
      isComplete: true,
    },
  },
};
const installation: Installation = {
  service: { namespace: "antechamber-system", name: "antechamber" },
  endpoints: { value: { known: 1, ready: 1 } },
  replicas: { value: [replica] },
  rotation: { value: rotation },
  lease: { value: { name: "pod-1", renewed: now - 1_000 } },
  bundles: [{ target, state: { value: { is: "ours", authorities: [authority] } } }],
};
const kind = { crd, isDefined: true, state: { value: versions } };
const good: Facts = {
  server: "https://127.0.0.1:6443",
  now,
  installation,
  apiServers: { value: 1 },
  kinds: [kind],
};
const withInstallation = (change: Partial<Installation>): Partial<Facts> => ({
  installation: { ...installation, ...change },
});

describe("the status of an installation", () => {
  it("has no problem where everything is well, and says who uses which version", () => {
    expect(problemsOf(good)).toEqual([]);
    expect(statusText(good, []).split("\n")).toEqual([
      "Service antechamber-system/antechamber in https://127.0.0.1:6443: 1 of 1 endpoints ready",
      "  REPLICA  SERIAL  CERTIFICATE UNTIL            KINDS  FAULT",
      "  pod-1    5f      2026-12-23T12:00:00Z (29 d)  all",
      "",
      "Certificates: phase stable; the Lease is held by pod-1, renewed 1 s ago",
      "               FINGERPRINT  UNTIL",
      "  CA           ca-1         2027-08-16T12:00:00Z (265 d)",
      "  certificate  leaf-1       2026-12-23T12:00:00Z (29 d)",
      "",
      "Bundles: 1 of 1 CRDs and webhook configurations hold the CA that is served",
      "",
      "Versions",
      "  KIND               VERSION  SERVED  STORED       REQUESTS  WATCHES  MANAGERS OF FIELDS",
      "  rooms.example.org  v1beta1  yes     old objects  12        1        kubectl-edit (2026-11-24T11:00:00Z) and 1 more in 3 objects",
      "                     v1       yes     yes          40        0",
      "",
      "No problem was found.",
      "",
    ]);
  });

  it("names the clients of each version by the audit log, the latest five of them", () => {
    const client = (user: string, minutes: number) => ({
      user,
      agent: "kubectl/v1.36",
      requests: 2,
      last: now - minutes * 60_000,
    });
    const many = ["ida", "jo", "kim", "lea", "max", "noa", "pia"].map((user, index) => client(user, index));
    const clients = new Map([
      ["v1beta1", [client("anna", 5)]],
      ["v1", many],
    ]);
    const audit = { from: now - day, to: now, events: 30, clients };
    const facts: Facts = { ...good, kinds: [{ ...kind, audit }] };
    const text = statusText(facts, []);
    expect(text.slice(text.indexOf("Clients"), text.indexOf("No problem")).split("\n")).toEqual([
      "Clients by the audit log, from 2026-11-23T12:00:00Z to 2026-11-24T12:00:00Z",
      "  KIND               VERSION  USER        PROGRAM        REQUESTS  LAST",
      "  rooms.example.org  v1beta1  anna        kubectl/v1.36  2         2026-11-24T11:55:00Z",
      "  rooms.example.org  v1       ida         kubectl/v1.36  2         2026-11-24T12:00:00Z",
      "                              jo          kubectl/v1.36  2         2026-11-24T11:59:00Z",
      "                              kim         kubectl/v1.36  2         2026-11-24T11:58:00Z",
      "                              lea         kubectl/v1.36  2         2026-11-24T11:57:00Z",
      "                              max         kubectl/v1.36  2         2026-11-24T11:56:00Z",
      "                              and 2 more",
      "",
      "",
    ]);
    const none = { ...audit, events: 0, clients: new Map() };
    const without = statusText({ ...good, kinds: [{ ...kind, audit: none }] }, []);
    expect(without).toMatch(/^Clients by the audit log, from .*: none; does the audit policy record/m);
  });

  const bundle = (state: TargetFacts) => withInstallation({ bundles: [{ target, state: { value: state } }] });
  const withReplica = (change: Partial<Replica>) =>
    withInstallation({ replicas: { value: [{ ...replica, ...change }] } });
  const withRotation = (change: Partial<Rotation>) =>
    withInstallation({ rotation: { value: { ...rotation, ...change } } });
  const withVersions = (change: Partial<VersionFacts>): Partial<Facts> => ({
    kinds: [{ ...kind, state: { value: { ...versions, ...change } } }],
  });

  it.each<[string, Partial<Facts>, RegExp]>([
    [
      "no endpoint is ready",
      withInstallation({ endpoints: { value: { known: 2, ready: 0 } } }),
      /no ready endpoint/,
    ],
    [
      "something may not be read",
      withInstallation({ endpoints: { unreadable: "it is forbidden" } }),
      /^it is forbidden$/,
    ],
    ["a replica reports a fault", withReplica({ fault: "no state" }), /^replica pod-1: no state$/],
    ["a report is damaged", withReplica({ leaves: undefined }), /its report is damaged/],
    ["a replica serves nothing", withReplica({ leaves: [] }), /it serves no certificate/],
    [
      "what a replica serves has expired",
      withReplica({ leaves: [{ issuer: "ca-1", notBefore: now - day, notAfter: now - 1 }] }),
      /its certificate is not valid now/,
    ],
    [
      "a replica lacks a version of the CRD",
      withReplica({ versions: { [crd]: ["v1beta1"] } }),
      /^replica pod-1 does not serve v1 of rooms\.example\.org/,
    ],
    ["the Secret is gone", withInstallation({ rotation: { value: undefined } }), /the Secret .* is missing/],
    [
      "it has no certificate",
      withInstallation({ rotation: { value: { phase: "stable", authority } } }),
      /holds no certificate/,
    ],
    [
      "the CA has expired",
      withRotation({ authority: { ...authority, notAfter: now } }),
      /^the CA has expired at 2026-11-24T12:00:00Z$/,
    ],
    [
      "a certificate is overdue",
      withRotation({ leaf: { id: "leaf", notBefore: now - 9 * day, notAfter: now + 2 * day } }),
      /^the certificate expires at .* should have been renewed/,
    ],
    [
      "a certificate is of the future",
      withRotation({ leaf: { id: "leaf", notBefore: now + hour, notAfter: now + day } }),
      /valid only from/,
    ],
    [
      "no replica holds the Lease",
      withInstallation({ lease: { value: undefined } }),
      /no replica holds the Lease/,
    ],
    [
      "the Lease is not renewed",
      withInstallation({ lease: { value: { name: "pod-1", renewed: now - hour } } }),
      /last renewed by pod-1/,
    ],
    ["a CRD does not exist", bundle({ is: "missing" }), /rooms\.example\.org: does not exist/],
    ["a CRD was stripped", bundle({ is: "stripped" }), /has no conversion webhook/],
    ["a bundle is empty", bundle({ is: "ours", authorities: [] }), /its caBundle is empty/],
    [
      "a bundle has another CA",
      bundle({ is: "ours", authorities: [{ ...authority, id: "ca-2" }] }),
      /lacks the CA of a certificate that is served/,
    ],
    [
      "a bundle has expired",
      bundle({ is: "ours", authorities: [{ ...authority, notAfter: now }] }),
      /no CA of its caBundle is valid now/,
    ],
    ["a kind serves no version", withVersions({ served: [] }), /serves no version/],
    [
      "a StorageVersionMigration failed",
      withVersions({ hasFailedMigration: true }),
      /objects may be stored in other versions; run antechamber evolve \S+ --storage v1$/,
    ],
    [
      "the conversion webhook is gone",
      withVersions({ conversion: { value: { at: "the Service a/gone", fault: "it does not exist" } } }),
      /^rooms\.example\.org: the Service a\/gone converts this kind and does not answer: it does not exist\. .* stored as v1beta1 can only be read.*\. antechamber uninstall \S+ plan shows the way out$/,
    ],
    ["the use is unknown", withVersions({ usage: { unreadable: "no metrics" } }), /^no metrics$/],
  ])("names the problem where %s", (_what, change, sentence) => {
    const facts = { ...good, ...change };
    const problems = problemsOf(facts);
    expect(problems).toEqual([expect.stringMatching(sentence)]);
    expect(statusText(facts, problems)).toContain(`1 problem:\n  - ${problems[0]}`);
  });

  it("has no endpoints where API servers call a URL, and trusts their roots without a caBundle", () => {
    const { endpoints: _, ...rest } = installation;
    const url = "https://192.0.2.1:9443";
    const bundles = [{ target, state: { value: { is: "ours", authorities: [], url } as const } }];
    const replicas = { value: [] };
    const rotation = { value: undefined };
    const facts: Facts = { ...good, installation: { ...rest, url, bundles, replicas, rotation } };
    expect(problemsOf(facts)).toEqual([]);
    expect(statusText(facts, [])).toMatch(
      /^Service at https:\/\/192\.0\.2\.1:9443, called by \S+; whether it answers is not known here\n[\s\S]*\nBundles \(which CA is served is not reported\)\n/,
    );
  });

  it("of another project's CRD is its versions, and where it is converted", () => {
    const facts: Facts = {
      server: good.server,
      now,
      apiServers: { value: 1 },
      kinds: [{ ...kind, isDefined: false }],
    };
    expect(problemsOf(facts)).toEqual([]);
    const text = statusText(facts, []);
    expect(text).toMatch(/^Versions\n/);
    expect(text).toContain("rooms.example.org  the Service antechamber-system/antechamber");
  });

  it("says of another project's CRD what clients delete without a conversion, and that a webhook was not tried", () => {
    const of = (change: Partial<VersionFacts>): Facts => {
      const { kinds } = withVersions(change);
      return { ...good, kinds: (kinds ?? []).map((each) => ({ ...each, isDefined: false })) };
    };
    const losses = [{ from: "v1beta1", to: "v1", fields: ["spec.old"] }];
    expect(problemsOf(of({ conversion: { value: undefined }, losses }))).toEqual([
      expect.stringMatching(
        /^rooms\.example\.org: nothing converts .* deletes .*: v1beta1 spec\.old \(not in v1\)/,
      ),
    ]);
    // It can be neither read nor written any more.
    expect(
      problemsOf(of({ conversion: { value: undefined }, losses, served: ["v1"], storedVersions: ["v1"] })),
    ).toEqual([]);
    const untried = of({ storedVersions: ["v1"] });
    expect(statusText(untried, [])).toMatch(
      /antechamber-system\/antechamber +unknown: all objects are stored as v1\n/,
    );
  });

  it("says that the Secret may not be read, which is no problem", () => {
    const facts: Facts = {
      ...good,
      ...withInstallation({ rotation: { unreadable: "secrets is forbidden" } }),
    };
    expect(problemsOf(facts)).toEqual([]);
    const text = statusText(facts, []);
    expect(text).toContain(
      "Certificates: secrets is forbidden\nCertificates: phase unknown; the Lease is held",
    );
  });

  it("leaves certificates of others alone, and takes an absent kind for no problem", () => {
    const reason = "cert-manager writes its caBundle";
    const facts: Facts = {
      ...good,
      ...withInstallation({
        replicas: { value: [] },
        rotation: { value: undefined },
        lease: { value: undefined },
        bundles: [{ target, state: { value: { is: "left alone", reason } } }],
      }),
      kinds: [{ ...kind, state: { value: undefined } }],
    };
    expect(problemsOf(facts)).toEqual([]);
    expect(statusText(facts, [])).toContain(`left alone: ${reason}`);
  });
});
