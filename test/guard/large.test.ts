import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import tls from "node:tls";
import { expect, it, onTestFinished } from "vitest";
import { answerTo, faultless } from "../checks/webhook/webhooks.ts";
import { startService } from "../support/service.ts";
import { widget } from "./guarded.ts";
import { serverOf } from "./upstream-server.ts";

it("large answers to requests that come in pieces, one after the other on each connection, all arrive", async () => {
  const server = await serverOf((review) => answerTo(review, faultless));
  const folder = mkdtempSync(path.join(tmpdir(), "antechamber-large-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const ca = path.join(folder, "ca.crt");
  writeFileSync(ca, server.ca);
  const upstream = ["--upstream", server.url, "--upstream-ca", ca];
  const crd = ["--crd", "test/checks/webhook/widget.yaml"];
  const service = await startService([...upstream, ...crd], {}, undefined, "guard");
  onTestFinished(async () => void (await service.stop()));
  const object = widget("v2", { size: 3, note: "n".repeat(200_000) });
  const request = { uid: "u", desiredAPIVersion: "example.com/v1", objects: [object] };
  const review = { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", request };
  const asking = Array.from({ length: 4 }, () => answersTo(service.port, JSON.stringify(review), 15));
  expect(await Promise.all(asking)).toEqual([15, 15, 15, 15]);
}, 60_000);

/** How many answers come on one connection, which sends the next request as soon as an answer is there. */
function answersTo(port: number, body: string, total: number): Promise<number> {
  return new Promise((resolve) => {
    const socket = tls.connect({ port, rejectUnauthorized: false, servername: "localhost" });
    let [got, text] = [0, Buffer.alloc(0)];
    const send = () => {
      text = Buffer.alloc(0);
      socket.write(
        `POST /convert HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`,
      );
      socket.write(body.slice(0, 100));
      setImmediate(() => socket.write(body.slice(100)));
    };
    socket.on("secureConnect", send);
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => {
      text = Buffer.concat([text, chunk]);
      const end = text.indexOf("\r\n\r\n");
      const length = Number(/content-length: (\d+)/i.exec(text.subarray(0, end).toString())?.[1]);
      if (end < 0 || text.length < end + 4 + length) return;
      got++;
      if (got < total) send();
      else socket.destroy();
    });
    socket.on("close", () => resolve(got));
  });
}
