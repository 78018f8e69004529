import pino from "pino";
import { beforeAll, describe, expect, it } from "vitest";
import { reducedCrd } from "../../src/cluster/api/crd-shapes.ts";
import { KindsInForce } from "../../src/cluster/follow/kinds-in-force.ts";
import { get, type Json, type JsonObject, set } from "../../src/json/json.ts";
import { fromHub, type Kind, type Kinds, toHub } from "../../src/kind/kind.ts";
import type { Lister, ObjectChange } from "../../src/kind/lister.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { crdOf } from "../../src/manifests/crd.ts";

const releases = { older: "test/cases/releases/older", newer: "test/cases/releases/newer" };
const loaded: Record<string, Kinds> = {};
beforeAll(async () => {
  for (const [release, folder] of Object.entries(releases)) loaded[release] = await loadKinds([folder]);
});

const boiler = {
  apiVersion: "releases.example.org/v1",
  kind: "Boiler",
  metadata: { name: "b", uid: "u" },
  spec: { level: 1, mode: "Heat" },
};

/** Kinds that follow a CRD which the test sets, by a clock that the test moves. */
class Bench {
  now = 0;
  readonly kinds: KindsInForce;
  readonly logged: JsonObject[] = [];
  #due: { readonly at: number; readonly call: () => void } | undefined;
  #listener: (change: ObjectChange) => void = () => {};

  constructor(release: keyof typeof releases) {
    const write = (line: string) => void this.logged.push(JSON.parse(line));
    this.kinds = new KindsInForce(loaded[release] as Kinds, {
      clock: () => this.now,
      schedule: (milliseconds, call) => {
        const due = { at: this.now + milliseconds, call };
        this.#due = due;
        return {
          cancel: () => {
            if (this.#due === due) this.#due = undefined;
          },
        };
      },
      log: pino({}, { write }),
    });
    const lister: Lister = {
      list: () => [],
      get: () => undefined,
      onChange: (listener) => {
        this.#listener = listener;
      },
    };
    this.kinds.follow(() => lister);
  }

  set(crd: JsonObject | undefined): void {
    this.#listener(crd === undefined ? {} : { after: reducedCrd(crd) });
  }

  later(milliseconds: number): void {
    this.now += milliseconds;
    while (this.#due !== undefined && this.#due.at <= this.now) {
      const { call } = this.#due;
      this.#due = undefined;
      call();
    }
  }

  /** What v1beta1 shows of a boiler whose mode is Heat. */
  policy(): Json | undefined {
    return get(fromHub(kindIn(this.kinds), boiler, 0), "spec", "policy");
  }
}

function kindIn(kinds: Kinds): Kind {
  const kind = kinds.find("releases.example.org", "Boiler");
  if (kind === undefined) throw new Error("there is no Boiler");
  return kind;
}

function crdIn(release: keyof typeof releases, more: JsonObject = {}): JsonObject {
  const crd = crdOf(kindIn(loaded[release] as Kinds), { url: "https://127.0.0.1:9443" });
  return set(crd, "metadata", { ...(crd.metadata as JsonObject), ...more });
}

describe("kinds that follow their CRDs", () => {
  it("have their own schemas until a CRD is seen, and the very same chain while it equals them", () => {
    const bench = new Bench("newer");
    expect(bench.policy()).toBe("Heat");
    bench.set(crdIn("newer"));
    expect(kindIn(bench.kinds)).toBe(kindIn(loaded.newer as Kinds));
    expect(bench.kinds.differences()).toEqual([
      { kind: kindIn(bench.kinds).name, missing: 0, unknown: 0, withheld: 0 },
    ]);
    expect(bench.logged).toEqual([]);
  });

  it("withhold what the CRD loses at once, and show what it gains ten seconds later", () => {
    const bench = new Bench("newer");
    bench.set(crdIn("older"));
    expect(bench.policy()).toBeUndefined();
    bench.later(1_000_000);
    expect(bench.policy()).toBeUndefined();
    bench.set(crdIn("newer"));
    bench.later(9_000);
    expect(bench.policy()).toBeUndefined();
    bench.later(1_000);
    expect(bench.policy()).toBe("Heat");
    bench.later(60_000);
    expect(kindIn(bench.kinds)).toBe(kindIn(loaded.newer as Kinds));
    bench.set(crdIn("older"));
    expect(bench.policy()).toBeUndefined();
  });

  it("have another generation whenever a kind has become another one, also when time alone did that", () => {
    const bench = new Bench("newer");
    const steps = [
      () => bench.set(crdIn("older")),
      () => bench.set(crdIn("newer")),
      () => bench.later(10_000),
      () => bench.later(60_000),
      () => bench.kinds.replace(kindIn(loaded.older as Kinds)),
      () => bench.kinds.take({}),
    ];
    for (const step of steps) {
      const [kind, generation] = [kindIn(bench.kinds), bench.kinds.generation()];
      step();
      if (kindIn(bench.kinds) !== kind) expect(bench.kinds.generation()).not.toBe(generation);
    }
    const generation = bench.kinds.generation();
    bench.set(crdIn("newer"));
    bench.set(crdIn("newer"));
    expect(bench.kinds.generation()).toBe(generation + 1);
  });

  it("say which fields the CRD lacks, and which they do not know", () => {
    const newer = new Bench("newer");
    newer.set(crdIn("older"));
    const fields = ["v1beta1 spec.policy", "v1beta1 spec.zones.color", "v1 spec.owner"];
    expect(newer.logged).toMatchObject([{ level: 30, crd: "boilers.releases.example.org", fields }]);
    expect(newer.kinds.differences()).toMatchObject([{ missing: 3, unknown: 0, withheld: 3 }]);
    const older = new Bench("older");
    older.set(crdIn("newer"));
    expect(older.logged).toMatchObject([{ level: 40, fields }]);
    expect(older.kinds.differences()).toMatchObject([{ missing: 0, unknown: 3, withheld: 0 }]);
  });

  it("withhold the fields that an annotation of the CRD names", () => {
    const bench = new Bench("newer");
    const annotations = {
      "antechamber.dev/withheld-fields": "v1beta1 spec.policy,\n v1 spec.nothing, v9 spec",
    };
    bench.set(crdIn("newer", { annotations }));
    expect(bench.policy()).toBeUndefined();
    expect(bench.logged).toMatchObject([{ level: 40, fields: ["v1 spec.nothing", "v9 spec"] }]);
    bench.set(crdIn("newer"));
    bench.later(10_000);
    expect(bench.policy()).toBe("Heat");
  });

  it("move a withheld field of the hub into carriers with the next write, also soon after it was gained", () => {
    const bench = new Bench("newer");
    bench.set(crdIn("older"));
    bench.set(crdIn("newer"));
    bench.later(10_000);
    const stored = { ...boiler, spec: { level: 1, owner: "ida" } };
    const written = () => toHub(kindIn(bench.kinds), fromHub(kindIn(bench.kinds), stored, 0), 0);
    expect(written()).toEqual(stored);
    const annotations = { "antechamber.dev/withheld-fields": "v1 spec.owner" };
    bench.set(crdIn("newer", { annotations }));
    expect(written().spec).toEqual({ level: 1 });
    expect(get(fromHub(kindIn(bench.kinds), written(), 0), "spec", "owner")).toBe("ida");
  });

  it("have their own schemas where the CRD is gone or cannot be read", () => {
    const bench = new Bench("newer");
    bench.set(crdIn("older"));
    bench.set(undefined);
    bench.later(10_000);
    expect(bench.policy()).toBe("Heat");
    let deep: JsonObject = { type: "object" };
    for (let depth = 0; depth < 1_000; depth++) deep = { type: "object", properties: { a: deep } };
    const odd = [
      deep,
      { type: 7 },
      { type: "object", properties: { spec: { type: "object", properties: [] } } },
    ];
    for (const schema of [...odd, { type: "object", description: "x".repeat(5_000_000) }]) {
      const versions = [{ name: "v1beta1", schema: { openAPIV3Schema: schema } }];
      bench.set({ ...crdIn("older"), spec: { versions } });
      bench.later(10_000);
      expect(bench.policy()).toBe("Heat");
    }
    expect(bench.logged.filter(({ level }) => level === 40)).toHaveLength(4);
    bench.set({ ...crdIn("older"), spec: { versions: "none" } });
    expect(bench.policy()).toBe("Heat");
  });

  it("keep no more CRDs than eight, however often they change", () => {
    const bench = new Bench("newer");
    for (let count = 0; count < 100; count++) {
      const crd = crdIn("older");
      const versions = get(crd, "spec", "versions") as readonly JsonObject[];
      const schema = { openAPIV3Schema: { type: "object", description: String(count) } };
      bench.set({ ...crd, spec: { versions: versions.map((version) => ({ ...version, schema })) } });
    }
    expect(Object.values(bench.kinds.seen()).map((seen) => seen.length)).toEqual([8]);
  });

  it("are the same in another thread, which learns of the CRDs later", () => {
    const bench = new Bench("newer");
    bench.set(crdIn("older"));
    bench.later(60_000);
    bench.set(crdIn("newer"));
    bench.later(4_000);
    const thread = new Bench("newer");
    thread.now = 500_000;
    thread.kinds.take(structuredClone(bench.kinds.seen()));
    expect(thread.policy()).toBeUndefined();
    thread.later(6_000);
    expect(thread.policy()).toBe("Heat");
  });
});
