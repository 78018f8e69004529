import type { IncomingMessage } from "node:http";

/** Does work within the trace that a caller is in. */
export type Tracing = <Made>(traceparent: string, work: () => Made) => Made;

/** The trace that a request says it belongs to (W3C Trace Context, version 00 and what later ones keep of it). */
export function traceparentOf({ headers }: IncomingMessage): string | undefined {
  const { traceparent } = headers;
  return typeof traceparent === "string" && wellFormed.test(traceparent) ? traceparent : undefined;
}

const wellFormed = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * Tracing by OpenTelemetry, where somebody has installed its API: its context is then the caller's, and a kind's own
 * spans and calls belong to that trace. Undefined where it is not there; nothing of ours needs it.
 */
export async function loadTracing(load: () => Promise<unknown> = loadApi): Promise<Tracing | undefined> {
  const api = await load().catch(whereMissing);
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
    readonly with: <Made>(context: unknown, work: () => Made) => Made;
  };
}

/** By a name that no compiler follows: the package is nobody's dependency. */
function loadApi(): Promise<unknown> {
  const name = "@opentelemetry/api";
  return import(name as string);
}

function whereMissing(error: unknown): undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code !== "ERR_MODULE_NOT_FOUND") throw error;
}

function isApi(value: unknown): value is Api {
  const { trace, context } = (value ?? {}) as Partial<Record<"trace" | "context", Record<string, unknown>>>;
  return [trace?.setSpanContext, context?.active, context?.with].every((each) => typeof each === "function");
}
