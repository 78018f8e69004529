import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { mostText } from "../../src/json/document.ts";
import { get, type JsonObject, set } from "../../src/json/json.ts";
import { startService } from "../support/service.ts";
import { widget, widgets } from "./guarded.ts";
import { type Act, serverOf } from "./upstream-server.ts";

// Upstreams that are gone, each in a way of its own, and what an API server reads of that: the address and the cause.

interface Gone {
  readonly act?: Act;
  /** What becomes of a server that answers so: where it is called, and by which CA it is trusted. */
  readonly at?: (server: Address & { readonly close: () => Promise<void> }) => Promise<Address>;
  /** What is said of it. */
  readonly cause: RegExp;
  /** Whether there is an answer, which a shadow passes on as it is. */
  readonly isAnswered?: boolean;
}

interface Address {
  readonly url: string;
  readonly ca: string;
}

const gone: Readonly<Record<string, Gone>> = {
  refused: { at: closed, cause: /^connect ECONNREFUSED 127\.0\.0\.1:\d+$/ },
  reset: { act: () => "close", cause: /^the connection was closed without an answer/ },
  broken: { act: () => "break", cause: /^the connection was closed without an answer/ },
  hanging: { act: () => "hang", cause: /^no answer within 0\.\d+ s$/ },
  untrusted: {
    at: untrusted,
    cause: /^its certificate is not trusted: unable to verify the first certificate$/,
  },
  plain: { at: withoutTls, cause: /^TLS fails: wrong version number$/ },
  garbage: { act: () => "<html>oops</html>", cause: /^the answer is not a JSON object$/, isAnswered: true },
  proxied: {
    act: () => ({ status: 503, text: "no endpoints" }),
    cause: /^it answers with HTTP 503$/,
    isAnswered: true,
  },
};

it("names an upstream that is gone, and the cause, in reviews and with HTTP 503", async () => {
  const { post, addresses } = await behind(gone);
  for (const [name, { url }] of addresses) {
    const words = `the upstream ${url} cannot be used: `;
    const failures = [
      failureOf(await post("convert", conversion(name, "v1", "v2"))),
      failureOf(await post("convert", conversion(name, "v2", "v1"))),
    ];
    const statuses = [
      statusOf(await post("mutate", admission(name))),
      statusOf(await post("validate", admission(name))),
    ];
    const object = `objects[0]: Widget.${name}.example.com cannot be converted: `;
    for (const sentence of [...failures.map((each) => without(object, each)), ...statuses])
      expect(without(words, sentence)).toMatch(gone[name]?.cause ?? "");
  }
});

it("names one whose answer is too large", async () => {
  const large = {
    act: () => " ".repeat(mostText + 1),
    cause: /^the response is longer than \d+ characters$/,
  };
  const { post } = await behind({ large });
  const sentence = statusOf(await post("mutate", admission("large")));
  expect(sentence.replace(/^the upstream \S+ cannot be used: /, "")).toMatch(large.cause);
});

it("names it in the shadow, where writes pass", async () => {
  const unanswered = Object.entries(gone).filter(([, { isAnswered }]) => isAnswered !== true);
  const { post, addresses } = await behind(Object.fromEntries(unanswered), ["--shadow"]);
  for (const [name, { url }] of addresses) {
    const sentence = failureOf(await post("convert", conversion(name, "v1", "v2")));
    const words = `objects[0]: Widget.${name}.example.com cannot be converted: the upstream ${url} gives no answer: `;
    expect(without(words, sentence)).toMatch(gone[name]?.cause ?? "");
    for (const endpoint of ["mutate", "validate"]) {
      const { body } = await post(endpoint, admission(name));
      expect(JSON.parse(body).response).toEqual({ uid: "u", allowed: true });
    }
  }
});

/** A guard in front of upstreams, each of which converts a kind of its own. */
async function behind(all: Readonly<Record<string, Gone>>, args: readonly string[] = []) {
  const folder = mkdtempSync(path.join(tmpdir(), "antechamber-gone-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const addresses = new Map<string, Address>();
  for (const [name, { act = () => "", at }] of Object.entries(all)) {
    const server = await serverOf(act);
    const address = at === undefined ? server : await at(server);
    addresses.set(name, address);
    writeFileSync(path.join(folder, `${name}.json`), JSON.stringify(crdOf(name, address)));
  }
  const service = await startService(["--crd", folder, ...args], {}, undefined, "guard");
  onTestFinished(async () => void (await service.stop()));
  const post = (endpoint: string, review: JsonObject) => {
    const text = JSON.stringify(review);
    return service.post(`/${endpoint}?timeout=${text.includes("hanging") ? "300ms" : "10s"}`, text);
  };
  return { addresses, post };
}

/** What follows the first words. */
function without(words: string, sentence: string): string {
  expect(sentence.slice(0, words.length)).toBe(words);
  return sentence.slice(words.length);
}

function crdOf(name: string, { url, ca }: Address): JsonObject {
  const group = `${name}.example.com`;
  const config = { url, caBundle: Buffer.from(ca).toString("base64") };
  const named = set(set(widgets, "metadata", "name", `widgets.${group}`), "spec", "group", group);
  return set(set(named, "spec", "conversion", "webhook", "clientConfig", config), "status", undefined);
}

function widgetOf(name: string, version: "v1" | "v2"): JsonObject {
  return { ...widget(version, { size: 3 }), apiVersion: `${name}.example.com/${version}` };
}

function conversion(name: string, from: "v1" | "v2", to: string): JsonObject {
  const desiredAPIVersion = `${name}.example.com/${to}`;
  const request = { uid: "u", desiredAPIVersion, objects: [widgetOf(name, from)] };
  return { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", request };
}

function admission(name: string): JsonObject {
  const [object, kind] = [
    widgetOf(name, "v1"),
    { group: `${name}.example.com`, version: "v1", kind: "Widget" },
  ];
  const request = { uid: "u", operation: "UPDATE", kind, object, oldObject: set(object, "spec", "size", 2) };
  return { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request };
}

type Posted = Awaited<ReturnType<Awaited<ReturnType<typeof startService>>["post"]>>;

function failureOf({ status, body }: Posted): string {
  const result = get(JSON.parse(body), "response", "result");
  expect([status, get(result, "status")]).toEqual([200, "Failure"]);
  return String(get(result, "message"));
}

function statusOf({ status, body, headers }: Posted): string {
  const { message, ...rest } = JSON.parse(body);
  // An API server that asks again until its timeout is over says only that it is over.
  expect([status, headers["retry-after"]]).toEqual([503, undefined]);
  expect(rest).toMatchObject({ kind: "Status", status: "Failure", reason: "ServiceUnavailable", code: 503 });
  return message;
}

/** A port that no server ever listens on: one that was closed may be given to another. */
async function closed({ ca }: Address): Promise<Address> {
  return { url: "https://127.0.0.1:1/convert", ca };
}

/** Trusted by the CA of another server. */
async function untrusted({ url }: Address): Promise<Address> {
  return { url, ca: (await serverOf(() => "")).ca };
}

async function withoutTls({ ca }: Address): Promise<Address> {
  const server = createServer((_, response) => response.end("hello"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/convert`, ca };
}
