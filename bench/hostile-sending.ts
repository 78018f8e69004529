// Sends attacks and summarizes the responses.
import https from "node:https";
import type { Target } from "./hostile-service.ts";

/** An attack: prepared before the measurement, then started against a service. */
export interface Attack {
  readonly name: string;
  /** A description for the table. */
  readonly says: string;
  /** Builds the requests; resolves with a function that sends them and resolves with a summary of the responses. */
  readonly arm: () => (target: Target) => Promise<string>;
}

export type Endpoint = "convert" | "mutate" | "validate";

/** An attack with one request. */
export function once(name: string, says: string, endpoint: Endpoint, make: () => Buffer): Attack {
  return {
    name,
    says: `${says}, /${endpoint}`,
    arm: () => {
      const body = make();
      return (target) => post(target, endpoint, body);
    },
  };
}

const patienceMilliseconds = 120_000;

/** Sends a body on a new connection, or on one of the agent; resolves with a summary of the response. Never rejects. */
export function post(
  { port, ca }: Target,
  endpoint: Endpoint,
  body: Buffer,
  agent = new https.Agent({ ca }),
): Promise<string> {
  return new Promise((resolve) => {
    const headers = { "Content-Type": "application/json", "Content-Length": body.length };
    const to = { host: "127.0.0.1", servername: "localhost", port, path: `/${endpoint}?timeout=30s` };
    const request = https.request({ ...to, agent, method: "POST", headers, timeout: patienceMilliseconds });
    request.once("timeout", () => {
      resolve(`no answer in ${patienceMilliseconds / 1000} s`);
      request.destroy();
    });
    request.on("error", (error: NodeJS.ErrnoException) => resolve(`hung up on (${error.code})`));
    request.once("response", (response) => {
      let begin = "";
      response.on("data", (chunk: Buffer) => {
        if (begin.length < 20_000) begin += chunk.toString("latin1", 0, 20_000);
      });
      response.once("error", () => resolve(`${response.statusCode}, cut short`));
      response.once("end", () => resolve(summary(response.statusCode ?? 0, begin)));
    });
    request.end(body);
  });
}

/** Equal responses once, with their number. */
export function counted(answers: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const answer of answers) counts.set(answer, (counts.get(answer) ?? 0) + 1);
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([answer, count]) => `${answer} ×${count}`)
    .join("; ");
}

function summary(status: number, begin: string): string {
  if (status !== 200) return `${status}: ${messageIn(begin)}`;
  const [, allowed] = /"allowed":(true|false)/.exec(begin) ?? [];
  if (allowed === "true") return begin.includes('"patch":') ? "200, allowed with a patch" : "200, allowed";
  if (allowed === "false") return `200, denied: ${messageIn(begin)}`;
  return begin.includes('"status":"Success"') ? "200, Success" : `200, Failure: ${messageIn(begin)}`;
}

function messageIn(text: string): string {
  const [, message = ""] = /"message":"((?:[^"\\]|\\.)*)"/.exec(text) ?? [];
  const plain = Buffer.from(message, "latin1").toString().replaceAll("|", "\\|").replaceAll('\\"', "'");
  return plain.length > 90 ? `${plain.slice(0, 90)}…` : plain;
}
