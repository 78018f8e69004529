import type { IncomingMessage } from "node:http";

/** Does work within the trace of a caller. */
export type Tracing = <Result>(traceparent: string, work: () => Result) => Result;

/** The `traceparent` of a request (W3C Trace Context, version 00 and what later versions keep of it). */
export function traceparentOf({ headers }: IncomingMessage): string | undefined {
  const { traceparent } = headers;
  return typeof traceparent === "string" && wellFormed.test(traceparent) ? traceparent : undefined;
}

const wellFormed = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * Tracing by OpenTelemetry, if its API is installed: the spans and outgoing requests of a kind's functions then belong to the
 * caller's trace. Undefined if it is not installed.
 */
export async function loadTracing(load: () => Promise<unknown> = loadApi): Promise<Tracing | undefined> {
  const api = await load().catch(undefinedIfMissing);
  if (!isApi(api)) return undefined;
  return (traceparent, work) => {
    const [, traceId = "", spanId = "", flags = "0"] = traceparent.split("-");
    const span = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
    return api.context.with(api.trace.setSpanContext(api.context.active(), span), work);
  };
}

interface Api {
  readonly trace: { readonly setSpanContext: (context: unknown, span: object) => unknown };
  readonly context: {
    readonly active: () => unknown;
    readonly with: <Result>(context: unknown, work: () => Result) => Result;
  };
}

/** By a name that the compiler does not resolve, since the package is not a dependency. */
function loadApi(): Promise<unknown> {
  const name = "@opentelemetry/api";
  return import(name as string);
}

function undefinedIfMissing(error: unknown): undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code !== "ERR_MODULE_NOT_FOUND") throw error;
}

function isApi(value: unknown): value is Api {
  const { trace, context } = (value ?? {}) as Partial<Record<"trace" | "context", Record<string, unknown>>>;
  return [trace?.setSpanContext, context?.active, context?.with].every((each) => typeof each === "function");
}
