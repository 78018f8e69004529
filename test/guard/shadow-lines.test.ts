import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { shadowLines } from "../../src/cli/guard/shadow-lines.ts";

/** The lines for guards that serve these metrics. */
async function linesOf(...texts: readonly string[]): Promise<readonly string[]> {
  const urls = texts.map(async (text) => {
    const server = createServer((_, response) => response.end(text));
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`;
  });
  return shadowLines(await Promise.all(urls));
}

const looked = (count: number) => `antechamber_shadow_conversions_total ${count}\n`;

it("status says what a shadow that found nothing has looked at", async () => {
  expect(await linesOf()).toEqual([]);
  expect(await linesOf(looked(0))).toEqual(["the shadow has not looked at any conversion yet"]);
  expect(await linesOf(looked(1))).toEqual(["the shadow has looked at 1 conversion, and nothing is lost"]);
  expect(await linesOf(looked(1), looked(2))).toEqual([
    "the shadow has looked at 3 conversions, and nothing is lost",
  ]);
});

it("status adds up what shadows found", async () => {
  const labels = `kind="Widget.example.com",from="v2",to="v1",outcome="lost",field="spec.size",guarded="kept"`;
  const found = (count: number, object: string) =>
    `antechamber_shadow_findings_total{${labels}} ${count}\nantechamber_shadow_objects{${labels},object="${object}"} 1\n`;
  expect(await linesOf(looked(4) + found(1, "default/a"), found(2, "default/b"))).toEqual([
    "Widget.example.com v2 → v1: spec.size lost 3×, the guard keeps it: default/a, default/b",
  ]);
});
