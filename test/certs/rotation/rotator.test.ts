import { expect, it } from "vitest";
import type { RotationState, SigningAuthority } from "../../../certs/rotation.ts";
import { type ReadBundle, Rotator } from "../../../certs/rotator.ts";

const hour = 3_600_000;
const authority: SigningAuthority = { id: "ca", pem: "ca", key: "key", notBefore: 0, notAfter: 900 * hour };
const leaf = { ...authority, id: "leaf", notAfter: 300 * hour, issuer: "ca", coversHosts: true };
const state: RotationState = { phase: "stable", authority, trusted: [], leaf };

it("all bundles of a step are written at once, and what went wrong with each is said", async () => {
  const names = ["a", "b", "c"];
  const begun: string[] = [];
  const all = Promise.withResolvers<void>();
  const bundles = names.map(
    (target): ReadBundle => ({
      target,
      certificates: [],
      isClean: false,
      // Ends when the others have begun, too.
      write: async () => {
        if (begun.push(target) === names.length) all.resolve();
        await all.promise;
        return target === "b" ? "b is forbidden" : undefined;
      },
    }),
  );
  const store = {
    readBundles: async () => bundles,
    readState: async () => ({ state, version: "1" }),
    readReports: async () => [],
    createState: async () => true,
    replaceState: async () => true,
    now: () => hour,
  };
  const issuer = { createAuthority: async () => authority, issueLeaf: async () => leaf };
  const settings = { authorityLife: 900 * hour, leafLife: 300 * hour, propagationDelay: 10_000 };
  const round = await new Rotator(store, issuer, settings, () => 0).advance();
  expect(round).toEqual({
    step: "write bundles",
    phase: "stable",
    notes: ["b is forbidden"],
    targets: names,
  });
});
