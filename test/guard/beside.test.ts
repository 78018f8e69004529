import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { get, type JsonObject, listAt } from "../../src/json/json.ts";
import { answerTo, type Conversion, withSpec } from "../checks/webhook/webhooks.ts";
import { antechamber } from "../support/cli.ts";
import { type RunningService, startService } from "../support/service.ts";
import { widget } from "./guarded.ts";
import { serverOf } from "./upstream-server.ts";

// One service for a guarded kind, whose webhook loses a field, and for a kind of one's own.

const crd = "test/checks/webhook/widget.yaml";
const room = "webhooks/home/room";

/** It loses what v1 does not have. */
const losing: Conversion = (object, desired) =>
  withSpec({ ...object, apiVersion: desired }, ({ secret: _, ...spec }) => spec);

/** A service whose own kind lists the examples of a folder. */
async function serviceOf(...args: readonly string[]) {
  const asked: string[] = [];
  const upstream = await serverOf((review) => {
    asked.push(review);
    return answerTo(review, losing);
  });
  const folder = mkdtempSync(path.join(tmpdir(), "antechamber-beside-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const ca = path.join(folder, "ca.crt");
  writeFileSync(ca, upstream.ca);
  const guarding = ["--upstream", upstream.url, "--upstream-ca", ca, "--crd", crd];
  const own = ["--webhooks", room, "--with", `${room}/examples`];
  const service = await startService([...guarding, ...own, ...args], {}, undefined, "guard");
  onTestFinished(async () => void (await service.stop()));
  return { service, asked };
}

async function convert(service: RunningService, desiredAPIVersion: string, object: unknown) {
  const request = { uid: "u", desiredAPIVersion, objects: [object] };
  const review = { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", request };
  const { body } = await service.post("/convert?timeout=10s", JSON.stringify(review));
  const [converted] = listAt(JSON.parse(body), "response", "convertedObjects");
  return converted;
}

/** What a service answers to a review of the kind's folder, and what is recorded there. */
async function answersOf(service: RunningService, endpoint: string, name: string) {
  const file = `${room}/reviews/${endpoint}/${name}`;
  const { body } = await service.post(`/${endpoint}?timeout=10s`, readFileSync(`${file}.json`));
  return [JSON.parse(body), JSON.parse(readFileSync(`${file}.answer.json`, "utf8"))];
}

describe("a kind of one's own", () => {
  it("is served beside a guarded one, each by its own conversion", async () => {
    const { service, asked } = await serviceOf();
    const object = widget("v2", { size: 3, secret: "s" });
    const view = await convert(service, "example.com/v1", object);
    expect(get(view, "spec")).toEqual({ image: "a", size: 3 });
    expect(get(await convert(service, "example.com/v2", view), "spec")).toEqual(object.spec);
    const before = asked.length;
    for (const [endpoint, name] of [
      ["convert", "to-v1"],
      ["convert", "to-v1beta1"],
      ["validate", "light-of-another-room"],
    ] as const) {
      const [answer, recorded] = await answersOf(service, endpoint, name);
      expect(answer).toEqual(recorded);
    }
    const [changed] = await answersOf(service, "mutate", "default-transition");
    expect(get(changed as JsonObject, "response", "patchType")).toBe("JSONPatch");
    expect(asked.slice(before).filter((review) => review.includes('"Room"'))).toEqual([]);
  });

  it("is judged beside a shadow too, which lets writes to guarded ones pass", async () => {
    const { service } = await serviceOf("--shadow");
    const [answer, recorded] = await answersOf(service, "validate", "light-of-another-room");
    expect(answer).toEqual(recorded);
    const kind = { group: "example.com", version: "v1", kind: "Widget" };
    const request = { uid: "u", operation: "CREATE", kind, object: widget("v1", { size: -1 }) };
    const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request };
    const { body } = await service.post("/validate?timeout=10s", JSON.stringify(review));
    expect(JSON.parse(body).response).toEqual({ uid: "u", allowed: true });
  });

  it.each([
    [["--webhooks", "nowhere", "--crd", crd], "nowhere: does not exist"],
    [["--webhooks", room, "--feature-gates", "Strange=true", "--crd", crd], "Strange"],
    [["--webhooks", room, "--certs", "managed", "--crd", crd], "--name"],
  ])("is refused with 2 for %j", async (args, sentence) => {
    const { code, stderr } = await antechamber(["guard", "--upstream", "https://127.0.0.1:1/", ...args]);
    expect(stderr).toContain(sentence);
    expect(code).toBe(2);
  });

  it("may not be guarded as well", async () => {
    const its = "manifests/components/home/rooms.home.antechamber.dev.yaml";
    const args = ["guard", "--upstream", "https://127.0.0.1:1/", "--crd", its, "--webhooks", room];
    const { code, stderr } = await antechamber(args);
    expect(stderr).toContain(`Room.home.antechamber.dev is also the kind in ${room}; leave out this CRD`);
    expect(code).toBe(2);
  });
});
