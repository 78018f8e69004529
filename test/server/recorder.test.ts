import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { parseJson } from "../../src/json/exact.ts";
import { get, type Json, type JsonObject } from "../../src/json/json.ts";
import type { Answer } from "../../src/review/answer.ts";
import { type RecorderOptions, startRecorder } from "../../src/server/record/recorder.ts";
import { startService } from "../support/service.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "antechamber-recorder-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("a recorder", () => {
  it("writes a review and its answer to files named after their content", async () => {
    const { send } = await recording();
    await send("convert", conversion);
    expect(files()).toEqual([
      "convert/0001-room-v1beta1-v1.answer.json",
      "convert/0001-room-v1beta1-v1.json",
    ]);
    expect(read("convert/0001-room-v1beta1-v1.json")).toEqual({
      description:
        "recorded: to home.antechamber.dev/v1: Room home.antechamber.dev/v1beta1 with metadata name, and null spec",
      ...conversion,
    });
    expect(read("convert/0001-room-v1beta1-v1.answer.json")).toEqual(converted.review);
  });

  it("shows a patch as a list", async () => {
    const { send } = await recording();
    const operations = [{ op: "add", path: "/spec/transition", value: "0s" }];
    const patch = Buffer.from(JSON.stringify(operations)).toString("base64");
    await send("mutate", admission({}), admitted({ patch, patchType: "JSONPatch" }));
    expect(get(read("mutate/0001-room-v1-update.answer.json"), "response", "patch")).toEqual(operations);
  });

  it("leaves out the user of the request", async () => {
    const { send } = await recording();
    await send("validate", admission({}));
    expect(get(read("validate/0001-room-v1-update.json"), "request", "userInfo")).toEqual({
      username: "recorded",
    });
  });

  it("leaves out the values of Secrets and environment variables, also where they are repeated", async () => {
    const { send } = await recording();
    const secret = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s" },
      data: { key: base64("correct horse") },
    };
    const env = [
      { name: "PIN", value: "7" },
      { name: "PASSWORD", value: 'batt"ery' },
      { name: "X", valueFrom: {} },
    ];
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { annotations: {} },
      spec: { containers: [{ env }] },
    };
    const applied = JSON.stringify({ ...pod, note: "correct horse" });
    const object = { ...pod, metadata: { annotations: { applied, prose: 'say batt"ery twice' } } };
    const operations = [
      { op: "add", path: "/spec/containers/0/env/-", value: { name: "TOKEN", value: "staple" } },
      { op: "replace", path: "/spec/containers/0/env/0/value", value: "89" },
    ];
    const patch = Buffer.from(JSON.stringify(operations)).toString("base64");
    await send("mutate", admission({ object, oldObject: secret }), admitted({ patch }));
    const texts = files().map((file) => readFileSync(path.join(folder, file), "utf8"));
    expect(texts.join("")).not.toMatch(/batt|correct horse|staple|"7"|"89"|Y29ycmVjd/);
    const kept = read("mutate/0001-room-v1-update.json");
    expect(get(kept, "request", "object", "spec")).toEqual({
      containers: [
        {
          env: [
            { name: "PIN", value: "left-out" },
            { name: "PASSWORD", value: "left-out" },
            { name: "X", valueFrom: {} },
          ],
        },
      ],
    });
    expect(get(kept, "request", "object", "metadata", "annotations", "prose")).toBe("say left-out twice");
  });

  it("keeps integers exact", async () => {
    const { send } = await recording();
    await send("validate", admission({ object: parseJson('{"spec":{"serial":9007199254740993}}') }));
    expect(readFileSync(path.join(folder, "validate/0001-room-v1-update.json"), "utf8")).toContain(
      "9007199254740993",
    );
  });

  it("warns once that the folder is full, and does not affect answers", async () => {
    const { send, warnings } = await recording(3);
    for (let count = 0; count < 4; count++) await send("convert", conversion);
    expect(files()).toHaveLength(2);
    expect(warnings).toEqual([`${folder} holds 2 files: nothing more is recorded`]);
  });

  it("warns once that it cannot write, and does not affect answers", async () => {
    const { send, warnings } = await recording();
    rmSync(folder, { recursive: true });
    for (let count = 0; count < 3; count++) await send("convert", conversion);
    expect(warnings).toEqual([expect.stringContaining("a review is not recorded: ENOENT")]);
  });

  it.each([1, 2])("leaves no file of a review behind if the disk is full at write %i", async (full) => {
    let count = 0;
    const write = async (file: string, text: string, options: { flag: string; mode: number }) => {
      const isFull = ++count === full;
      await writeFile(file, isFull ? text.slice(0, 10) : text, options);
      if (isFull) throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
    };
    const { send, warnings } = await recording(undefined, write);
    await send("convert", conversion);
    expect(files()).toEqual([]);
    expect(warnings).toEqual(["a review is not recorded: ENOSPC: no space left on device"]);
    await send("convert", conversion);
    expect(files()).toHaveLength(2);
  });

  it("continues the numbers in the folder, and skips those that another recorder takes", async () => {
    await mkdir(path.join(folder, "convert"));
    await writeFile(path.join(folder, "convert/0007-room-v1beta1-v1.json"), "{}");
    const [one, other] = [await recording(), await recording()];
    await one.send("convert", conversion);
    await other.send("convert", conversion);
    expect(files().filter((file) => !file.includes("answer"))).toEqual([
      "convert/0007-room-v1beta1-v1.json",
      "convert/0008-room-v1beta1-v1.json",
      "convert/0009-room-v1beta1-v1.json",
    ]);
  });

  it("leaves out reviews that are too long to be examples", async () => {
    const { send, warnings } = await recording();
    await send("validate", admission({ object: { note: "x".repeat(300_000) } }));
    expect(files()).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it("makes file names of letters and digits only", async () => {
    const { send } = await recording();
    await send("validate", admission({ kind: { version: "../../etc" }, subResource: "sta/tus" }));
    expect(files()).toContain("validate/0001-room-etc-update-status.json");
  });
});

describe("antechamber serve --record", () => {
  it("records the reviews that arrive over HTTPS, and their answers", async () => {
    const service = await startService(["--record", folder]);
    try {
      const review = readFileSync("webhooks/home/room/reviews/convert/to-v1.json", "utf8");
      const { body } = await service.post("/convert", review);
      const file = "convert/0001-room-v1beta1-v1";
      await vi.waitFor(() => expect(files()).toHaveLength(2));
      await vi.waitFor(() => expect(read(`${file}.answer.json`)).toEqual(parseJson(body)));
      const { description: _, ...sent } = parseJson(review) as JsonObject;
      expect(read(`${file}.json`)).toMatchObject(sent);
    } finally {
      await service.stop();
    }
  });
});

const converted: Answer = {
  review: { kind: "ConversionReview", response: { uid: "u" } },
  report: {
    review: "conversion",
    uid: "u",
    kind: "Room.home.antechamber.dev",
    from: "v1beta1",
    to: "v1",
    objects: 1,
    outcome: "success",
  },
};

const conversion: JsonObject = {
  kind: "ConversionReview",
  apiVersion: "apiextensions.k8s.io/v1",
  request: {
    uid: "u",
    desiredAPIVersion: "home.antechamber.dev/v1",
    objects: [
      { apiVersion: "home.antechamber.dev/v1beta1", kind: "Room", metadata: { name: "n" }, spec: null },
    ],
  },
};

function admission(more: JsonObject): JsonObject {
  const kind = { group: "home.antechamber.dev", version: "v1", kind: "Room" };
  const userInfo = { username: "ida", groups: ["house"], extra: { key: ["value"] } };
  const request = { uid: "u", kind, operation: "UPDATE", userInfo, object: {}, ...more };
  return { kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1", request };
}

function admitted(response: JsonObject): Answer {
  return {
    review: { kind: "AdmissionReview", response: { uid: "u", allowed: true, ...response } },
    report: {
      review: "admission",
      uid: "u",
      kind: "Room.home.antechamber.dev",
      namespace: "",
      name: "",
      operation: "UPDATE",
      outcome: "allow",
    },
  };
}

async function recording(limit?: number, write?: RecorderOptions["write"]) {
  const warnings: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => void warnings.push(JSON.parse(line).msg) });
  const recorder = await startRecorder({
    folder,
    log,
    ...(limit === undefined ? {} : { limit }),
    ...(write === undefined ? {} : { write }),
  });
  const send = async (name: "convert" | "mutate" | "validate", review: JsonObject, answer?: Answer) => {
    const meant = answer ?? (name === "convert" ? converted : admitted({}));
    expect(await recorder.on(name, () => meant)(review, { caller: "", milliseconds: 0 })).toBe(meant);
    await recorder.settled();
  };
  return { warnings, send };
}

function files(): readonly string[] {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();
}

function read(file: string): Json {
  return parseJson(readFileSync(path.join(folder, file), "utf8"));
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
