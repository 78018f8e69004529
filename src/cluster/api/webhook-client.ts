import { Agent, type RequestOptions, request } from "node:https";
import { mostText } from "../../json/document.ts";
import { ResponseTooLong, textOf } from "./stream.ts";

/** Where a conversion webhook is, and how it is trusted. */
export interface WebhookAddress {
  readonly url: string;
  /** CA certificates as PEM; those of the system without it. */
  readonly ca?: string | undefined;
  readonly insecure?: boolean | undefined;
  /** The name in the webhook's certificate, if it is not the host of the URL. */
  readonly serverName?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** Milliseconds for one review. */
  readonly timeout: number;
  /** The most connections; as many as there are reviews by default. */
  readonly connections?: number;
}

/** What came back: an HTTP response, or why there is none. */
export type WebhookReply =
  | { readonly state: "answered"; readonly status: number; readonly text: string }
  | { readonly state: "closed" | "silent" | "unreachable"; readonly sentence: string };

/** Sends reviews to a webhook, over connections that stay open. */
export interface WebhookClient {
  /** Posts one review, with another limit of milliseconds if one is given; it does not reject. */
  readonly post: (review: string, timeout?: number) => Promise<WebhookReply>;
  readonly close: () => void;
}

/** A client of a webhook. It opens no connection yet. */
export function webhookClient(address: WebhookAddress): WebhookClient {
  const { ca, insecure, serverName, cert, key, connections } = address;
  const agent = new Agent({
    keepAlive: true,
    ...(connections === undefined ? {} : { maxSockets: connections }),
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(serverName === undefined ? {} : { servername: serverName }),
    rejectUnauthorized: insecure !== true,
  });
  let isOver = false;
  return {
    post: async (review, timeout = address.timeout) => {
      const { reply, isReused } = await post(address.url, timeout, agent, review);
      // A server may close an idle connection at any time; a new one shows whether the review did it.
      if (reply.state !== "closed" || !isReused || isOver) return reply;
      return (await post(address.url, timeout, agent, review)).reply;
    },
    close: () => {
      isOver = true;
      agent.destroy();
    },
  };
}

interface Posted {
  readonly reply: WebhookReply;
  readonly isReused: boolean;
}

async function post(url: string, timeout: number, agent: Agent, review: string): Promise<Posted> {
  const signal = AbortSignal.timeout(timeout);
  const options: RequestOptions = {
    method: "POST",
    agent,
    signal,
    headers: {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(review),
      accept: "application/json",
      "user-agent": "antechamber",
    },
  };
  const call = request(url, options);
  const { promise, resolve, reject } = Promise.withResolvers<WebhookReply>();
  call.once("error", reject);
  call.once("response", (response) => {
    textOf(response, mostText).then(
      (text) => resolve({ state: "answered", status: response.statusCode ?? 0, text }),
      reject,
    );
  });
  call.end(review);
  const reply = await promise.catch((error: unknown) => failureOf(error, signal.aborted, timeout));
  return { reply, isReused: call.reusedSocket };
}

function failureOf(error: unknown, isLate: boolean, timeout: number): WebhookReply {
  if (error instanceof ResponseTooLong) return { state: "closed", sentence: error.message };
  if (isLate) return { state: "silent", sentence: `no answer within ${timeout / 1000} s` };
  const { code = "" } = firstOf(error);
  const isClosed = ["ECONNRESET", "EPIPE", "HPE_INVALID_CONSTANT"].includes(code);
  return isClosed
    ? { state: "closed", sentence: "the connection was closed without an answer, as after a panic" }
    : { state: "unreachable", sentence: causeOf(error) };
}

/** Why a webhook is not reached. What OpenSSL prints, and the advice of Node.js to those who start it, are left out. */
export function causeOf(error: unknown): string {
  const { code = "", message } = firstOf(error);
  const [, reason] = /:error:[\dA-F]+:[^:]*:[^:]*:([^:]+)/.exec(message) ?? [];
  if (reason !== undefined) return `TLS fails: ${reason}`;
  const [sentence = message] = message.split("; if the root CA");
  return /CERT|SIGNATURE/.test(code) ? `its certificate is not trusted: ${sentence}` : sentence;
}

/** A host may have several addresses, none of which answers. */
function firstOf(error: unknown): NodeJS.ErrnoException {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  return first;
}
