import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { convert } from "../../src/conversion/convert.ts";
import { type CrdShapes, chainInForce } from "../../src/conversion/in-force.ts";
import { move } from "../../src/conversion/rows.ts";
import type { VersionChain } from "../../src/conversion/version-chain.ts";
import { get, isObject, type Json, type JsonObject, set } from "../../src/json/json.ts";
import type { Kind } from "../../src/kind/kind.ts";
import { smallKind } from "../laws/small-kind.ts";
import { lens } from "../support/lens.ts";

// Two releases of one kind. The older release knows `mode` and the colours of lamps only at v1, and `owner` only at v1beta1;
// the newer one knows them at both.

const text = { type: "string" };
const lamps = (fields: JsonObject) => ({
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["name"],
  items: { type: "object", required: ["name"], properties: { name: text, ...fields } },
});
const dial = { level: { type: "integer" } };
const older = smallKind(
  { name: "v1beta1", lens: lens(), spec: { ...dial, owner: text, lamps: lamps({}) } },
  { name: "v1", spec: { ...dial, mode: text, lamps: lamps({ color: text }) } },
);
const newer = smallKind(
  {
    name: "v1beta1",
    lens: lens(move("spec.policy", "spec.mode")),
    spec: { ...dial, owner: text, policy: text, lamps: lamps({ color: text }) },
  },
  { name: "v1", spec: { ...dial, owner: text, mode: text, lamps: lamps({ color: text }) } },
);
const versions = ["v1beta1", "v1"];

/** What a replica answers with: its release, and the CRDs that it takes to be in force. */
function replica(release: Kind, ...crds: readonly Kind[]): VersionChain {
  return chainInForce(release.chain, crds.map(shapesOf));
}

function shapesOf({ chain }: Kind): CrdShapes {
  return new Map(chain.versions.map(({ name, shape }) => [name, shape]));
}

/** An API server with one object, which asks any of its replicas for each conversion and prunes by its CRD. */
class Server {
  crd: Kind;
  replicas: readonly VersionChain[];
  #stored: JsonObject = { apiVersion: "small.example.org/v1", kind: "Small", metadata: { uid: "u" } };
  readonly #draw: () => number;

  constructor(crd: Kind, replicas: readonly VersionChain[], draw: () => number = () => 0) {
    this.crd = crd;
    this.replicas = replicas;
    this.#draw = draw;
  }

  read(version: string): JsonObject {
    return this.#converted(this.#pruned(this.#stored, 1), 1, versions.indexOf(version));
  }

  write(version: string, object: JsonObject): void {
    const from = versions.indexOf(version);
    this.#stored = this.#converted(this.#pruned(object, from), from, 1);
  }

  patch(version: string, spec: JsonObject): void {
    const object = this.read(version);
    this.write(version, set(object, "spec", merged(object.spec, spec)));
  }

  /** The next version of the release and of the CRD. */
  move(crd: Kind, replicas: readonly VersionChain[]): void {
    this.crd = crd;
    this.replicas = replicas;
  }

  #converted(object: JsonObject, from: number, to: number): JsonObject {
    const chain = this.replicas[this.#draw() % this.replicas.length] as VersionChain;
    return this.#pruned(convert(object, chain, from, to), to);
  }

  #pruned(object: JsonObject, version: number): JsonObject {
    return this.crd.versions[version]?.schema.prune(object).object ?? {};
  }
}

/** A merge patch of fields that are not lists. */
function merged(before: Json | undefined, patch: JsonObject): JsonObject {
  let spec = isObject(before) ? before : {};
  for (const [name, value] of Object.entries(patch)) spec = set(spec, name, value ?? undefined);
  return spec;
}

const specOf = (server: Server, version: string) => get(server.read(version), "spec");
const [oldCrd, newCrd] = [older, newer];
// The replicas of the newer release, in the order in which they learn of the new CRD.
const narrow = replica(newer, oldCrd, newCrd);
const settled = chainInForce(newer.chain, [shapesOf(newCrd)], [oldCrd, newCrd].map(shapesOf));
const wide = replica(newer, newCrd);
const kept = { level: 1, mode: "Heat", lamps: [{ name: "a", color: "red" }] };

describe("a field that a version gains", () => {
  it("is carried while the CRD does not have it, whichever release answers", () => {
    for (const down of [replica(older), replica(newer, oldCrd)]) {
      for (const up of [replica(older), replica(newer, oldCrd), replica(newer)]) {
        const server = new Server(oldCrd, [down]);
        server.write("v1", { ...server.read("v1"), spec: kept });
        const view = server.read("v1beta1");
        expect(view.spec).toEqual({ level: 1, lamps: [{ name: "a" }] });
        server.replicas = [up];
        server.write("v1beta1", { ...view, spec: { level: 2, lamps: [{ name: "a" }] } });
        expect(specOf(server, "v1")).toEqual({ ...kept, level: 2 });
      }
    }
  });

  it("is shown as soon as the CRD has it, also of objects that were written before", () => {
    const pairs = [
      [replica(older), replica(older)],
      [replica(older), narrow],
      [narrow, replica(older)],
      [narrow, narrow],
      // A client may write long after it has read.
      [narrow, replica(newer, newCrd)],
    ] as const;
    for (const [reader, writer] of pairs) {
      const server = new Server(oldCrd, [reader]);
      server.write("v1", { ...server.read("v1"), spec: kept });
      const view = server.read("v1beta1");
      server.replicas = [writer];
      server.write("v1beta1", { ...view, spec: { level: 2, lamps: [{ name: "a" }] } });
      server.move(newCrd, [replica(newer, newCrd)]);
      expect(specOf(server, "v1")).toEqual({ ...kept, level: 2 });
      expect(specOf(server, "v1beta1")).toEqual({
        level: 2,
        policy: "Heat",
        lamps: [{ name: "a", color: "red" }],
      });
    }
  });

  it("is deleted by a client that saw it and leaves it out", () => {
    const server = new Server(newCrd, [replica(newer, newCrd)]);
    server.write("v1", { ...server.read("v1"), spec: kept });
    server.patch("v1beta1", { policy: null });
    expect(specOf(server, "v1")).toEqual({ level: 1, lamps: kept.lamps });
    expect(specOf(server, "v1beta1")).toEqual({ level: 1, lamps: kept.lamps });
  });

  it("is what a client writes, also where the replica that made its view did not show it", () => {
    const server = new Server(newCrd, [replica(newer, oldCrd, newCrd)]);
    server.write("v1", { ...server.read("v1"), spec: kept });
    const view = server.read("v1beta1");
    expect(view.spec).toEqual({ level: 1, lamps: [{ name: "a" }] });
    for (const up of [replica(newer, oldCrd, newCrd), replica(newer, newCrd)]) {
      server.replicas = [up];
      server.write("v1beta1", { ...view, spec: { ...(view.spec as JsonObject), policy: "Cool" } });
      server.replicas = [replica(newer, newCrd)];
      expect(specOf(server, "v1")).toEqual({ ...kept, mode: "Cool" });
      expect(get(server.read("v1beta1"), "spec", "policy")).toBe("Cool");
    }
  });
});

describe("a field that the hub gains", () => {
  it("stays with the old version while the CRD does not have it, whichever release answers", () => {
    for (const up of [replica(older), replica(newer, oldCrd)]) {
      for (const down of [replica(older), replica(newer, oldCrd), replica(newer)]) {
        const server = new Server(oldCrd, [up]);
        server.write("v1beta1", { ...server.read("v1beta1"), spec: { level: 1, owner: "ida" } });
        server.replicas = [down];
        expect(specOf(server, "v1beta1")).toEqual({ level: 1, owner: "ida" });
        server.patch("v1", { level: 2 });
        expect(specOf(server, "v1beta1")).toEqual({ level: 2, owner: "ida" });
      }
    }
  });

  it("has what the old version says as soon as a client changes that, once the CRD has it", () => {
    for (const before of [replica(older), replica(newer, oldCrd)]) {
      const server = new Server(oldCrd, [before]);
      server.write("v1beta1", { ...server.read("v1beta1"), spec: { level: 1, owner: "ida" } });
      server.move(newCrd, [replica(newer, newCrd)]);
      server.patch("v1beta1", { level: 2 });
      expect(specOf(server, "v1beta1")).toEqual({ level: 2, owner: "ida" });
      server.patch("v1beta1", { owner: "bo" });
      expect(specOf(server, "v1")).toEqual({ level: 2, owner: "bo" });
      server.patch("v1", { owner: "cy" });
      expect(specOf(server, "v1beta1")).toEqual({ level: 2, owner: "cy" });
    }
  });

  it("is the client's of the hub, also where a replica does not take its CRD to be in force yet", () => {
    for (const replicas of [[narrow], [settled], [narrow, settled], [settled, narrow]]) {
      let turn = 0;
      const server = new Server(newCrd, replicas, () => turn++);
      server.write("v1", { ...server.read("v1"), spec: { level: 1, owner: "ida" } });
      server.patch("v1beta1", { level: 2 });
      expect(specOf(server, "v1")).toEqual({ level: 2, owner: "ida" });
      server.patch("v1beta1", { owner: "bo" });
      expect(specOf(server, "v1")).toEqual({ level: 2, owner: "bo" });
      server.patch("v1beta1", { owner: null });
      expect(specOf(server, "v1")).toEqual({ level: 2 });
      expect(specOf(server, "v1beta1")).toEqual({ level: 2 });
    }
  });
});

describe("releases that take turns", () => {
  const write = (at: string, spec: JsonObject) => ({ at, spec });
  const level = fc.nat(9).map((each) => ({ level: each }));
  const name = fc.constantFrom("ida", "bo", "cy");
  const mode = fc.constantFrom("Heat", "Cool", "Dry");
  const ever = [
    level.map((spec) => write("v1beta1", spec)),
    level.map((spec) => write("v1", spec)),
    name.map((owner) => write("v1beta1", { owner })),
    fc.constant(write("v1beta1", { owner: null })),
    mode.map((each) => write("v1", { mode: each })),
    fc.constant(write("v1", { mode: null })),
  ];
  const withNewCrd = [
    ...ever,
    name.map((owner) => write("v1", { owner })),
    mode.map((policy) => write("v1beta1", { policy })),
  ];
  const some = (actions: typeof ever) => fc.array(fc.oneof(...actions), { minLength: 1, maxLength: 6 });

  /** The order that docs/guides/evolve.md gives, with replicas that learn of the CRD at different moments. */
  const steps: readonly (readonly [Kind, readonly VersionChain[]])[] = [
    [oldCrd, [replica(older)]],
    [oldCrd, [replica(older), narrow]],
    [oldCrd, [narrow]],
    [newCrd, [narrow]],
    [newCrd, [narrow, settled]],
    [newCrd, [settled, wide]],
    [newCrd, [wide]],
  ];

  it("lose nothing, and hide nothing afterwards", () => {
    const drawn = fc.tuple(...steps.map(([crd]) => some(crd === newCrd ? withNewCrd : ever)));
    fc.assert(
      fc.property(drawn, fc.infiniteStream(fc.nat(5)), (phases, dice) => {
        const server = new Server(oldCrd, [], () => dice.next().value ?? 0);
        const expected = new Expected();
        for (const [index, [crd, replicas]] of steps.entries()) {
          server.move(crd, replicas);
          for (const { at, spec } of phases[index] ?? []) {
            server.patch(at, spec);
            expected.write(at, spec);
            expected.check(server);
          }
        }
        expect(get(server.read("v1beta1"), "spec", "policy")).toBe(expected.spec.mode);
        server.patch("v1beta1", { owner: "dot" });
        expect(specOf(server, "v1")).toEqual({ ...expected.spec, owner: "dot" });
      }),
      { numRuns: 300 },
    );
  });
});

/** What the object must say after each write. */
class Expected {
  spec: JsonObject = {};
  #isOwnerOfHub = false;

  write(at: string, { policy, ...spec }: JsonObject): void {
    this.spec = merged(this.spec, policy === undefined ? spec : { ...spec, mode: policy });
    if ("owner" in spec) this.#isOwnerOfHub = at === "v1";
  }

  check(server: Server): void {
    const { mode, owner, level } = this.spec;
    const [old, hub] = ["v1beta1", "v1"].map((version) => specOf(server, version));
    expect([get(old, "level"), get(old, "owner")]).toEqual([level, owner]);
    expect([get(hub, "level"), get(hub, "mode")]).toEqual([level, mode]);
    expect([mode, undefined]).toContain(get(old, "policy"));
    // What a client of the old version said before the CRD had the field stays with that version.
    expect(this.#isOwnerOfHub ? [owner] : [owner, undefined]).toContain(get(hub, "owner"));
  }
}
