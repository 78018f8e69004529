import { AsyncLocalStorage } from "node:async_hooks";
import { context, type Span, type SpanOptions, type SpanStatus, trace } from "@opentelemetry/api";
import { afterEach, expect, it, vi } from "vitest";
import type { Answer } from "../../src/review/answer.ts";
import { loadTracing } from "../../src/server/tracing.ts";
import { call, startTestServer } from "./test-server.ts";

// With the real API, and an SDK that keeps what it is given: the smallest one that the API can be registered with.

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const [, callerTrace = "", callerSpan = ""] = traceparent.split("-");

interface Kept {
  readonly name: string;
  readonly options: SpanOptions;
  readonly parent: string | undefined;
  readonly attributes: Record<string, unknown>;
  status: SpanStatus | undefined;
  ended: number;
}

afterEach(() => {
  trace.disable();
  context.disable();
});

it("with an SDK of OpenTelemetry, each request has a span of the caller's trace, and handlers run within it", async () => {
  const spans = registerSdk();
  const active: unknown[] = [];
  const handler = (): Answer => {
    active.push(trace.getSpan(context.active())?.spanContext().spanId);
    return answerOf("success");
  };
  const server = await tracedServer(handler);
  await call(server, { headers: { traceparent } });
  await call(server);
  await vi.waitFor(() => expect(spans.map(({ ended }) => ended)).toEqual([1, 1]));
  expect(active).toEqual(["span-0", "span-1"]);
  expect(spans.map(({ parent }) => parent)).toEqual([`${callerTrace} ${callerSpan}`, undefined]);
  expect(spans[0]).toMatchObject({
    name: "POST /convert",
    options: { kind: 1, attributes: { "http.request.method": "POST", "url.path": "/convert" } },
    attributes: {
      "antechamber.kind": "Lamp.home",
      "antechamber.outcome": "success",
      "antechamber.from": "v1",
      "antechamber.to": "v2",
      "antechamber.objects": 1,
      "http.response.status_code": 200,
    },
    status: undefined,
  });
});

it("a failed conversion, a handler that throws and a request that is rejected end their spans", async () => {
  const spans = registerSdk();
  const outcomes = [() => answerOf("failure"), () => Promise.reject(new Error("broken"))];
  const server = await tracedServer(() => (outcomes.shift() as () => Answer | Promise<Answer>)());
  await call(server);
  await call(server);
  await call(server, { body: "{" });
  await vi.waitFor(() => expect(spans.map(({ ended }) => ended)).toEqual([1, 1, 1]));
  expect(spans.map(({ status }) => status)).toEqual([
    { code: 2, message: "no such version" },
    { code: 2 },
    undefined,
  ]);
  expect(spans.map(({ attributes }) => attributes["http.response.status_code"])).toEqual([200, 500, 400]);
});

it("without an SDK there is no tracing", async () => {
  expect(await loadTracing()).toBeUndefined();
});

it("without OpenTelemetry there is no tracing, and no error", async () => {
  const missing = Object.assign(new Error("not here"), { code: "ERR_MODULE_NOT_FOUND" });
  expect(await loadTracing(() => Promise.reject(missing))).toBeUndefined();
  expect(await loadTracing(() => Promise.resolve({}))).toBeUndefined();
  await expect(loadTracing(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
});

function answerOf(outcome: "success" | "failure"): Answer {
  const report = { kind: "Lamp.home", uid: "u", from: "v1", to: "v2", objects: 1, outcome };
  const message = outcome === "failure" ? { message: "no such version" } : {};
  return { review: {}, report: { review: "conversion", ...report, ...message } };
}

async function tracedServer(handler: () => Answer | Promise<Answer>) {
  const handlers = { convert: handler, mutate: handler, validate: handler };
  return startTestServer({ tracing: await loadTracing(), handlers });
}

function registerSdk(): readonly Kept[] {
  const spans: Kept[] = [];
  const storage = new AsyncLocalStorage<ReturnType<typeof context.active>>();
  context.setGlobalContextManager({
    active: () => storage.getStore() ?? root,
    with: (value, work, self, ...args) => storage.run(value, () => work.call(self as never, ...args)),
    bind: (_value, target) => target,
    enable() {
      return this;
    },
    disable() {
      return this;
    },
  });
  const startSpan = (name: string, options: SpanOptions = {}, within = context.active()): Span => {
    const above = trace.getSpanContext(within);
    const parent = above === undefined ? undefined : `${above.traceId} ${above.spanId}`;
    const kept: Kept = { name, options, parent, attributes: {}, status: undefined, ended: 0 };
    const spanId = `span-${spans.push(kept) - 1}`;
    const span: Span = {
      spanContext: () => ({ traceId: above?.traceId ?? "new", spanId, traceFlags: 1 }),
      setAttribute: (key, value) => {
        kept.attributes[key] = value;
        return span;
      },
      setAttributes: (attributes) => {
        Object.assign(kept.attributes, attributes);
        return span;
      },
      addEvent: () => span,
      addLink: () => span,
      addLinks: () => span,
      setStatus: (status) => {
        kept.status = status;
        return span;
      },
      updateName: () => span,
      end: () => {
        kept.ended++;
      },
      isRecording: () => true,
      recordException: () => {},
    };
    return span;
  };
  trace.setGlobalTracerProvider({
    getTracer: () => ({
      startSpan,
      startActiveSpan: () => {
        throw new Error("the service does not use it");
      },
    }),
  });
  return spans;
}

const root = context.active();
