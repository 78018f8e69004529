import type { IncomingMessage } from "node:http";
import type { AdmissionReport, ConversionReport } from "../review/answer.ts";

/** Traces the requests of a service. */
export interface Tracing {
  /** Begins the span of a request: a child of the caller's span if there is one. */
  readonly begin: (request: IncomingMessage, path: string) => Trace;
}

/** The span of one request. */
export interface Trace {
  /** Does work within the span: the spans and outgoing requests of a kind's functions then belong to it. */
  readonly within: <Result>(work: () => Result) => Result;
  /** Notes what was asked, and how it ended. */
  readonly describe: (report: ConversionReport | AdmissionReport) => void;
  /** Ends the span, with the status of the response. */
  readonly end: (status: number) => void;
}

/** The `traceparent` of a request (W3C Trace Context, version 00 and what later versions keep of it). */
export function traceparentOf({ headers }: IncomingMessage): string | undefined {
  const { traceparent } = headers;
  return typeof traceparent === "string" && wellFormed.test(traceparent) ? traceparent : undefined;
}

const wellFormed = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Tracing by OpenTelemetry, if its API is installed and an SDK was registered with it; otherwise undefined. */
export async function loadTracing(load: () => Promise<unknown> = loadApi): Promise<Tracing | undefined> {
  const api = await load().catch(undefinedIfMissing);
  if (!isApi(api) || !hasSdk(api)) return undefined;
  const { context, trace } = api;
  const tracer = trace.getTracer("antechamber");
  return {
    begin: (request, path) => {
      const parent = parentOf(request, api);
      const attributes = { "http.request.method": request.method ?? "", "url.path": path };
      const span = tracer.startSpan(`${request.method} ${path}`, { kind: server, attributes }, parent);
      const inside = trace.setSpan(parent, span);
      return {
        within: (work) => context.with(inside, work),
        describe: (report) => {
          span.setAttributes(attributesOf(report));
          if (report.outcome === "error" || report.outcome === "failure")
            span.setStatus({ code: failed, message: report.message ?? report.outcome });
        },
        end: (status) => {
          span.setAttribute("http.response.status_code", status);
          if (status >= 500) span.setStatus({ code: failed });
          span.end();
        },
      };
    },
  };
}

/** `SpanKind.SERVER` and `SpanStatusCode.ERROR` of the API. */
const server = 1;
const failed = 2;

function parentOf(request: IncomingMessage, { context, trace }: Api): unknown {
  const traceparent = traceparentOf(request);
  const active = context.active();
  if (traceparent === undefined) return active;
  const [, traceId = "", spanId = "", flags = "0"] = traceparent.split("-");
  const span = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return trace.setSpanContext(active, span);
}

/** As the labels of the metrics. */
function attributesOf(report: ConversionReport | AdmissionReport): Attributes {
  const { kind, outcome, uid } = report;
  const common = { "antechamber.kind": kind, "antechamber.outcome": outcome, "antechamber.uid": uid };
  return report.review === "conversion"
    ? {
        ...common,
        "antechamber.from": report.from,
        "antechamber.to": report.to,
        "antechamber.objects": report.objects,
      }
    : { ...common, "antechamber.operation": report.operation };
}

type Attributes = Readonly<Record<string, string | number>>;

interface Span {
  readonly setAttribute: (key: string, value: string | number) => unknown;
  readonly setAttributes: (attributes: Attributes) => unknown;
  readonly setStatus: (status: { readonly code: number; readonly message?: string }) => unknown;
  readonly end: () => void;
}

interface Tracer {
  readonly startSpan: (
    name: string,
    options: { readonly kind: number; readonly attributes: Attributes },
    context: unknown,
  ) => Span;
}

/** The part of `@opentelemetry/api` that is used; the same in all its versions 1. */
interface Api {
  readonly trace: {
    readonly getTracer: (name: string) => Tracer;
    readonly getTracerProvider: () => unknown;
    readonly setSpan: (context: unknown, span: Span) => unknown;
    readonly setSpanContext: (context: unknown, span: object) => unknown;
  };
  readonly context: {
    readonly active: () => unknown;
    readonly with: <Result>(context: unknown, work: () => Result) => Result;
  };
}

/** By a name that the compiler does not resolve: it is installed with prom-client, and not a dependency of ours. */
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
  const needed = [trace?.getTracer, trace?.setSpan, trace?.setSpanContext, context?.active, context?.with];
  return needed.every((each) => typeof each === "function");
}

/** Without one, the API's proxy of a provider has nothing to delegate to, and spans would cost time for nothing. */
function hasSdk({ trace }: Api): boolean {
  const provider = trace.getTracerProvider() as { readonly getDelegateTracer?: (name: string) => unknown };
  return (
    typeof provider.getDelegateTracer !== "function" ||
    provider.getDelegateTracer("antechamber") !== undefined
  );
}
