import { describe, expect, it } from "vitest";
import { foldedAcross, type KindFindings } from "../../../src/checks/index.ts";
import { parseJson, writeJson } from "../../../src/json/exact.ts";
import { get, isObject, type JsonObject, set } from "../../../src/json/json.ts";
import { changing, checked, crdOf, same } from "./kinds.ts";
import { annotated, type Conversion } from "./webhooks.ts";

// One cause, one finding: however many places show it.

const lineOf = ({ kind, place, places, check, versions }: KindFindings["findings"][number]) =>
  `${kind} ${place} (${places.length}) ${check} ${versions.join(" ")}`;

describe("a status that is replaced as a whole by the one in an annotation", () => {
  const names = ["host", "zone", "phase", "address", "uuid", "owner"];
  const status = `${names.map((name) => `${name}: { type: string }`).join("\n")}
network: { type: object, properties: { gateway: { type: string }, mtu: { type: integer } } }`;
  const crd = crdOf({
    v1: { status, spec: "size: { type: integer }" },
    v2: { status, spec: "size: { type: integer }" },
  });
  const restoring =
    (restore: (shown: JsonObject, stored: JsonObject) => JsonObject): Conversion =>
    (object, desired) => {
      const made = same(object, desired);
      const status = isObject(object.status) ? object.status : {};
      if (desired.endsWith("/v1")) return annotated(made, writeJson(status), "example.com/status");
      const text = get(object, "metadata", "annotations", "example.com/status");
      const bare = annotated(made, undefined, "example.com/status");
      if (typeof text !== "string") return bare;
      const restored = restore(status, parseJson(text) as JsonObject);
      return set(bare, "status", Object.keys(restored).length === 0 ? undefined : restored);
    };

  it("is one finding, though every edit of a field of it is undone", async () => {
    const { findings } = await checked(
      crd,
      restoring((_, stored) => stored),
    );
    expect(findings.map(lineOf)).toEqual(["became status (8) edit v1 v2 v1"]);
  });

  it("is none where only what the view lacks is restored", async () => {
    const { findings } = await checked(
      crd,
      restoring((shown) => shown),
    );
    expect(findings.map(lineOf)).toEqual([]);
  });

  it("is not said of a status of which one field is restored", async () => {
    const one = restoring((shown, { zone }) => (zone === undefined ? shown : { ...shown, zone }));
    const { findings } = await checked(crd, one);
    expect(findings.map(lineOf)).toEqual(["became status.zone (1) edit v1 v2 v1"]);
  });
});

describe("references of one type", () => {
  const reference =
    "{ type: object, properties: { kind: { type: string }, name: { type: string }, uid: { type: string } } }";
  const cluster = `infrastructure: ${reference}\ncontrolPlane: ${reference}`;
  const machine = `bootstrap: ${reference}\nsize: { type: integer }`;
  const forgetful = changing((spec) =>
    Object.fromEntries(
      Object.entries(spec).map(([name, value]) => [
        name,
        isObject(value) ? set(value, "uid", undefined) : value,
      ]),
    ),
  );
  const named = async (name: string, spec: string, convert: Conversion) => ({
    ...(await checked(crdOf({ v1: { spec }, v2: { spec } }), convert)),
    kind: name,
  });

  it("are one finding in a kind, and one line in further kinds", async () => {
    const kinds = foldedAcross([
      await named("clusters", cluster, forgetful),
      await named("machines", machine, forgetful),
    ]);
    const [clusters, machines] = kinds.map(({ findings }) =>
      findings.filter(({ versions }) => versions[0] === "v1"),
    );
    expect(clusters?.map(({ places }) => places)).toEqual([
      ["spec.infrastructure.uid", "spec.controlPlane.uid"],
    ]);
    expect(machines?.map(({ place, message, views }) => [place, message, views])).toEqual([
      ["spec.bootstrap.uid", "as in clusters", []],
    ]);
  });

  it("are one finding where the reference is lost with its only field", async () => {
    const empties = changing((spec) => {
      const kept = Object.entries(spec).map(
        ([name, value]) => [name, isObject(value) ? set(value, "uid", undefined) : value] as const,
      );
      return Object.fromEntries(
        kept.filter(([, value]) => !isObject(value) || Object.keys(value).length > 0),
      );
    });
    const { findings } = await named("clusters", cluster, empties);
    expect(findings.filter(({ versions }) => versions[0] === "v1").map(({ places }) => places)).toEqual([
      ["spec.infrastructure.uid", "spec.controlPlane.uid"],
    ]);
  });

  it("are not mixed up with fields of the same name elsewhere", async () => {
    const losing = changing((spec) => set(spec, "size", undefined));
    const kinds = foldedAcross([
      await named("machines", machine, losing),
      await named("nodes", "size: { type: integer }", losing),
    ]);
    expect(kinds.flatMap(({ findings }) => findings.map(({ message }) => message))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
