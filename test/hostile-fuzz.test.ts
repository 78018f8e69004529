import { connect, createSecureContext, type SecureContext, type TLSSocket } from "node:tls";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { pino } from "pino";
import { expect, it, onTestFinished } from "vitest";
import { serve } from "../src/commands/serve.ts";
import { get, isObject, type JsonObject } from "../src/json/json.ts";
import { type Attack, attack, diceOf, readBases } from "./hostile-fuzz.ts";
import { folderOf } from "./support/folder.ts";

// FUZZ_REQUESTS=100000 is a long run; SEED=… draws the same again.
const requests = Number(process.env.FUZZ_REQUESTS ?? 1_000);
const seed = Number(process.env.SEED);
const atOnce = 8;

it("whatever is sent, everybody is answered by a valid envelope or a Status, and nothing is left behind", async () => {
  const { port, ca, faults, close } = await start();
  onTestFinished(close);
  const bases = readBases();
  const dice = diceOf(seed);
  const outcomes = new Map<string, number>();
  const heaps: number[] = [];
  // Handshakes and contexts cost more than all else: each is made once.
  const secureContext = createSecureContext({ ca, maxVersion: "TLSv1.2" });
  const session = await sessionOf(port, secureContext);
  let sent = 0;
  const caller = async (until: number) => {
    while (sent < until) {
      const number = sent++;
      const thrown = attack(bases, dice);
      const answer = await send(thrown, { port, secureContext, session });
      const outcome = judge(thrown, answer);
      if (outcome.startsWith("!"))
        throw new Error(`attack ${number} of seed ${seed}: ${outcome}\n${describe(thrown)}`);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  };
  // What is compiled and cached comes first; from then on the heap stays as it is.
  for (let part = 1; part <= 10; part++) {
    await Promise.all(Array.from({ length: atOnce }, () => caller((requests * part) / 10)));
    heaps.push(heapAfterGc());
  }
  const told = [...outcomes]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([outcome, count]) => `  ${outcome}: ${count}`);
  console.log(
    `${requests} requests of seed ${seed}\n${told.join("\n")}\n  heap, MiB: ${heaps.map((heap) => heap.toFixed(1)).join(" ")}`,
  );
  expect(faults()).toEqual([]);
  expect((heaps.at(-1) ?? 0) - (heaps[3] ?? 0)).toBeLessThan(6 + requests / 20_000);
  expect(get({}, "polluted")).toBeUndefined();
}, 3_600_000);

/** The service itself in this process, so that its heap can be looked at. */
async function start() {
  const folder = await folderOf({});
  const faults: string[] = [];
  const write = (line: string) => {
    // A kind's own function that cannot make sense of an object is caught, and answered in the envelope.
    if (!line.includes('"msg":"review answered"')) faults.push(line);
  };
  let ca = "";
  const options = { port: 0, opsPort: 0, host: "127.0.0.1", webhooks: ["webhooks"], certHost: [], grace: 0 };
  const io = {
    print: () => {},
    now: () => new Date(),
    random: () => 0.5,
    log: pino({ level: "error" }, { write }),
    folder,
    env: {},
    readStdin: () => Promise.resolve(""),
  };
  const service = await serve({ ...options, caOut: "ca.crt" }, io);
  const { readFile } = await import("node:fs/promises");
  ca = await readFile(`${folder}/ca.crt`, "utf8");
  return { port: service.port, ca, faults: () => faults, close: () => service.close() };
}

interface Target {
  readonly port: number;
  readonly secureContext: SecureContext;
  readonly session: Buffer;
}

function sessionOf(port: number, secureContext: SecureContext): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, secureContext, servername: "localhost" });
    socket.once("error", reject).once("session", (session) => {
      resolve(session);
      socket.destroy();
    });
  });
}

/** What came back on a connection of its own until the first answer was whole, or it closed. */
function send({ parts, after }: Attack, { port, secureContext, session }: Target): Promise<string> {
  return new Promise((resolve) => {
    let came = "";
    const options = { host: "127.0.0.1", port, secureContext, servername: "localhost" };
    const socket: TLSSocket = connect({ ...options, session }).setNoDelay();
    const timer = setTimeout(() => end("!unanswered after 20 s"), 20_000);
    const end = (answer: string) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    socket.once("secureConnect", () => {
      for (const part of parts) socket.write(part);
      if (after === "ends") socket.end();
      if (after === "leaves") end("");
    });
    socket.on("data", (chunk: Buffer) => {
      came += chunk.toString("latin1");
      const answer = firstAnswer(came);
      if (answer !== undefined) end(answer);
    });
    socket.on("close", () => end(came));
    // A reset by a service that will hear no more; what was read before it counts.
    socket.on("error", () => end(came));
  });
}

/** The first answer that is no interim one, once it is there in full. */
function firstAnswer(text: string): string | undefined {
  const final = text.replace(/^(?:HTTP\/1\.1 100 [^\r]*\r\n\r\n)+/, "");
  const end = final.indexOf("\r\n\r\n");
  const length = Number(/\r\nContent-Length: (\d+)/i.exec(final.slice(0, end))?.[1]);
  return end >= 0 && final.length >= end + 4 + length ? final.slice(0, end + 4 + length) : undefined;
}

/** How a request ended; with an exclamation mark where it must not end so. */
function judge({ isHttp, after, body }: Attack, answer: string): string {
  if (answer.startsWith("!")) return answer;
  if (answer === "") return isHttp && after === "waits" ? "!no answer" : "left or hung up";
  const [, code = ""] = /^HTTP\/1\.1 (\d{3}) /.exec(answer) ?? [];
  const text = Buffer.from(answer.slice(answer.indexOf("\r\n\r\n") + 4), "latin1").toString();
  const value = parsed(text);
  if (!isObject(value))
    return code === "417" || code === "400"
      ? `${code}, bare`
      : `!${code} with no JSON: ${text.slice(0, 200)}`;
  if (code === "200") return judgeReview(value, parsed(body.toString()));
  if (code === "500") return `!500: ${text}`;
  const isStatus = value.kind === "Status" && value.status === "Failure" && String(value.code) === code;
  return isStatus && typeof value.message === "string" ? code : `!${code} is no Status: ${text}`;
}

function judgeReview(review: JsonObject, asked: unknown): string {
  if (!isObject(asked)) return "!an answer to what is no JSON";
  const { response } = review;
  if (review.kind !== asked.kind || review.apiVersion !== asked.apiVersion) return "!another envelope";
  if (!isObject(response) || response.uid !== get(asked, "request", "uid")) return "!another uid";
  return review.kind === "ConversionReview" ? judgeConversion(response, asked) : judgeAdmission(response);
}

function judgeConversion(response: JsonObject, asked: JsonObject): string {
  const [status, message] = [get(response, "result", "status"), get(response, "result", "message")];
  const objects = get(asked, "request", "objects") as readonly unknown[];
  const converted = response.convertedObjects as readonly unknown[];
  if (status === "Failure")
    return typeof message === "string" && message !== "" ? "conversion: Failure" : "!no reason";
  if (status !== "Success" || converted.length !== objects.length) return "!neither success nor failure";
  const desired = get(asked, "request", "desiredAPIVersion");
  return converted.every((object) => isObject(object) && object.apiVersion === desired)
    ? "conversion: Success"
    : "!another version";
}

function judgeAdmission({ allowed, patch, patchType, status }: JsonObject): string {
  if (allowed === false) {
    if (typeof get(status, "message") !== "string") return "!denied without a reason";
    return `admission: denied, ${String(get(status, "reason"))}`;
  }
  if (allowed !== true || (patch === undefined) !== (patchType === undefined)) return "!no verdict";
  return patch === undefined ? "admission: allowed" : "admission: changed";
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // No JSON, which is an answer too.
    return undefined;
  }
}

function heapAfterGc(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

function describe({ what, road, parts }: Attack): string {
  return `${what}, /${road}\n${Buffer.concat(parts).toString().slice(0, 4_000)}`;
}
