import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { get, listAt } from "../../src/json/json.ts";
import { answerTo, faultless } from "../checks/webhook/webhooks.ts";
import { startService } from "../support/service.ts";
import { widget } from "./guarded.ts";
import { serverOf } from "./upstream-server.ts";

it("in front of a webhook a guard answers its conversions, and passes on everything else as it is", async () => {
  const seen: string[] = [];
  const server = await serverOf((review) => {
    seen.push(review);
    return review.includes("ConversionReview")
      ? answerTo(review, faultless)
      : { status: 422, text: `  {"heard": "${review}" }\n` };
  });
  const folder = mkdtempSync(path.join(tmpdir(), "antechamber-front-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const ca = path.join(folder, "ca.crt");
  writeFileSync(ca, server.ca);
  const upstream = ["--upstream", server.url.replace("/convert", "/crdconvert"), "--upstream-ca", ca];
  const crd = ["--crd", "test/checks/webhook/widget.yaml", "--in-front"];
  const service = await startService([...upstream, ...crd], {}, undefined, "guard");
  onTestFinished(async () => void (await service.stop()));

  const review = (desiredAPIVersion: string, objects: readonly unknown[]) =>
    JSON.stringify({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "ConversionReview",
      request: { uid: "u", desiredAPIVersion, objects },
    });
  const object = widget("v2", { size: 3, secret: "s" });
  const there = await service.post("/crdconvert?timeout=5s", review("example.com/v1", [object]));
  expect(there.status).toBe(200);
  const [view] = listAt(JSON.parse(there.body), "response", "convertedObjects");
  const back = await service.post("/crdconvert", review("example.com/v2", [view]));
  const [returned] = listAt(JSON.parse(back.body), "response", "convertedObjects");
  expect(get(returned, "spec")).toEqual(object.spec);

  const other = await service.post("/mutate-example-com-v1-widget?timeout=5s", "anything");
  expect([other.status, other.body]).toEqual([422, '  {"heard": "anything" }\n']);
  await server.close();
  const gone = await service.post("/validate-example-com-v1-widget", "anything");
  expect([gone.status, gone.headers["retry-after"]]).toEqual([503, undefined]);
  expect(JSON.parse(gone.body)).toMatchObject({
    reason: "ServiceUnavailable",
    message: expect.stringMatching(
      /^the upstream https:\/\/127\.0\.0\.1:\d+ cannot be used: connect ECONNREFUSED/,
    ),
  });
});
