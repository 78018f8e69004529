import { X509Certificate } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createAuthority } from "../../../certs/authority.ts";
import { rotationIssuer } from "../../../certs/issuer.ts";
import type { RotationSettings, RotationState } from "../../../certs/rotation.ts";
import {
  certificatesIn,
  entriesOf,
  type SecretEntries,
  secretKeys,
  stateIn,
} from "../../../certs/rotation-secret.ts";
import { Rotator } from "../../../certs/rotator.ts";
import { rsaPair } from "../rsa.ts";

const settings: RotationSettings = { authorityLife: 900_000, leafLife: 300_000, propagationDelay: 10_000 };
const hosts = ["antechamber.antechamber-system.svc", "127.0.0.1"];
const now = Date.UTC(2026, 0, 1);
const issuer = rotationIssuer(hosts, settings);

describe("a Secret", () => {
  it("holds a state in the middle of a rotation", async () => {
    const state = await inTheMiddle();
    expect(stateIn(entriesOf(state), hosts)).toEqual(state);
    expect(secretKeys).toEqual(expect.arrayContaining(Object.keys(entriesOf(state))));
  });

  it("with an unknown phase keeps every CA trusted, until the rotation knows what replicas serve", async () => {
    const state = await inTheMiddle();
    const read = stateIn({ ...entriesOf(state), phase: "later" }, hosts);
    expect(read).toMatchObject({ phase: "switch", authority: state.authority });
    expect(read.trusted.map(({ id }) => id)).toEqual([state.next?.id, state.trusted[0]?.id]);
  });

  it("that lacks the key of a CA keeps its certificate trusted", async () => {
    const state = await inTheMiddle();
    const read = stateIn({ ...entriesOf(state), "ca.key": "" }, hosts);
    expect(read.authority).toBeUndefined();
    expect(read.trusted.map(({ id }) => id)).toContain(state.authority?.id);
  });

  it.each([
    ["of RSA", async () => rsaPair(2048, new Date(now))],
    [
      "that is a leaf",
      async () => {
        const { leaf } = await inTheMiddle();
        return { certificate: leaf?.pem ?? "", key: leaf?.key ?? "" };
      },
    ],
    [
      "with the key of another",
      async () => {
        const { authority, next } = await inTheMiddle();
        return { certificate: authority?.pem ?? "", key: next?.key ?? "" };
      },
    ],
    [
      "whose certificate was changed after it was signed",
      async () => {
        const { authority } = await inTheMiddle();
        const bytes = new X509Certificate(authority?.pem ?? "").raw;
        // The last one is part of the signature.
        bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
        return { certificate: pemOf(bytes), key: authority?.key ?? "" };
      },
    ],
    [
      "whose name the service would not write",
      async () => {
        const other = await createAuthority({ commonName: "a, b", now: new Date(now), days: 1 });
        return { certificate: other.certificate, key: other.key };
      },
    ],
  ])("has no CA in a pair %s", async (_what, make) => {
    const { certificate, key } = await make();
    expect(
      stateIn({ phase: "stable", "ca.crt": certificate, "ca.key": key }, hosts).authority,
    ).toBeUndefined();
  });

  it("says whether its certificate is valid for all hosts, and of which CA it is", async () => {
    const state = await inTheMiddle();
    const entries = entriesOf(state);
    expect(stateIn(entries, [...hosts, "other.example.org"]).leaf).toMatchObject({ coversHosts: false });
    expect(stateIn({ ...entries, "ca.crt": "", "ca.key": "" }, hosts).leaf).toMatchObject({ issuer: "" });
  });

  it("with a bundle that is too long, or holds other things, gives the CAs that can be read", async () => {
    const { authority, leaf } = await inTheMiddle();
    const text = `# ours\n${authority?.pem}\n${leaf?.pem}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`;
    expect(certificatesIn(text).map(({ id }) => id)).toEqual([authority?.id]);
    expect(certificatesIn(text + " ".repeat(300_000))).toEqual([]);
    expect(certificatesIn("")).toEqual([]);
  });

  it("ends stable whatever is done to its entries, with a certificate that its CA has signed", async () => {
    const state = await inTheMiddle();
    const start = entriesOf(state);
    const values = Object.values(start);
    const value = fc.oneof(
      fc.constantFrom(...values, "", "stable", "publish", "retire"),
      fc.string(),
      fc.tuple(fc.constantFrom(...values), fc.nat(2_000)).map(([text, length]) => text.slice(0, length)),
      fc
        .tuple(fc.constantFrom(...values), fc.nat(2_000), fc.string({ minLength: 1, maxLength: 3 }))
        .map(([text, at, more]) => text.slice(0, at) + more + text.slice(at + more.length)),
    );
    const edits = fc.array(fc.tuple(fc.constantFrom(...secretKeys), value), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(edits, async (edited) => {
        const { entries, bundles } = await settled({ ...start, ...Object.fromEntries(edited) });
        expect(entries.phase).toBe("stable");
        const [authority, leaf] = ["ca.crt", "tls.crt"].map((key) => new X509Certificate(entries[key] ?? ""));
        expect(leaf?.verify((authority as X509Certificate).publicKey)).toBe(true);
        expect(bundles).toEqual([entries["ca.crt"], entries["ca.crt"]]);
      }),
      { numRuns: Number(process.env.ROTATION_RUNS ?? 60) },
    );
  }, 600_000);
});

function pemOf(bytes: Buffer): string {
  return `-----BEGIN CERTIFICATE-----\n${bytes.toString("base64").replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
}

async function inTheMiddle(): Promise<RotationState> {
  const [authority, next, old] = await Promise.all([1, 2, 3].map(() => issuer.createAuthority(now)));
  if (authority === undefined || next === undefined || old === undefined) throw new Error("no CA was made");
  const { key: _, ...trusted } = old;
  const leaf = await issuer.issueLeaf(authority, now);
  return { phase: "publish", authority, next, trusted: [trusted], leaf };
}

/** Lets one replica, alone in its cluster, take steps until it waits for nothing. */
async function settled(
  start: SecretEntries,
): Promise<{ entries: SecretEntries; bundles: readonly string[] }> {
  let entries = start;
  const bundles = ["", ""];
  let elapsed = 0;
  const store = {
    now: () => now + elapsed,
    readBundles: async () =>
      bundles.map((pem, index) => ({
        target: `t${index}`,
        certificates: certificatesIn(pem),
        isClean:
          certificatesIn(pem)
            .map((each) => each.pem)
            .join("") === pem,
        write: async (certificates: readonly { readonly pem: string }[]) => {
          bundles[index] = certificates.map((each) => each.pem).join("");
          return undefined;
        },
      })),
    readState: async () => ({ state: stateIn(entries, hosts), version: "1" }),
    readReports: async () => [],
    createState: async () => false,
    replaceState: async (state: RotationState) => {
      entries = entriesOf(state);
      return true;
    },
  };
  const rotator = new Rotator(store, issuer, settings, () => elapsed);
  for (let round = 0; round < 30; round++) {
    const { step, phase } = await rotator.advance();
    if (step === "wait" && phase === "stable") break;
    elapsed += step === "wait" ? settings.propagationDelay : 0;
  }
  return { entries, bundles };
}
