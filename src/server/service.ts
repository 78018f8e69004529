import type { RequestListener } from "node:http";
import type { Server } from "node:https";
import type { Logger } from "pino";
import { type CertificateSource, type Repeat, repeat } from "../../certs/source.ts";
import type { InformerState } from "../cluster/informer.ts";
import { createApp, type Handlers } from "./app.ts";
import { BatchScheduler } from "./batches.ts";
import { answerClientError } from "./client-error.ts";
import { type Clients, isGuarded, rejectionOfClient } from "./clients.ts";
import { Connections } from "./connections.ts";
import { type Pause, pause, type Stage } from "./life.ts";
import { type Limits, limits } from "./limits.ts";
import { livenessOf } from "./liveness.ts";
import { BodyMemory } from "./memory.ts";
import { createMetrics } from "./metrics.ts";
import { createOps } from "./ops.ts";
import { Port } from "./port.ts";
import { reject } from "./review.ts";
import type { ReviewThread } from "./review-thread.ts";
import { TimeSlicer } from "./time-slicer.ts";
import { createReviewServer, expiryOf, tlsOptions } from "./tls.ts";
import type { Tracing } from "./tracing.ts";

/** What a service is started with. */
export interface ServiceOptions {
  readonly handlers: Handlers;
  readonly certificates: CertificateSource;
  /** Whose certificates callers must show; without it nobody is asked. */
  readonly clients?: Clients;
  /** Address to listen on; without one, every address of the machine. */
  readonly host?: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly opsPort: number;
  /** Milliseconds to go on answering once draining has begun, until nobody sends reviews here any more. */
  readonly grace: number;
  readonly log: Logger;
  /** The listers that reviews are answered with: they are told of in the metrics, and stopped in the end. */
  readonly listers?: {
    readonly states: () => readonly InformerState[];
    readonly stop: () => Promise<void>;
  };
  /** Answers large reviews, and is stopped in the end; without it the main thread answers them, and all others wait. */
  readonly thread?: ReviewThread;
  readonly limits?: Partial<Limits>;
  /** How work comes to belong to the trace that its caller is in; without it traces are only told to the log. */
  readonly tracing?: Tracing | undefined;
  readonly pause?: Pause;
  /** Milliseconds, from whenever; the process' own unless told. */
  readonly clock?: () => number;
  /** How connections are looked at again and again. */
  readonly repeat?: Repeat;
}

/** Starts a service; resolves when both ports listen, rejects when one cannot. A certificate may come later. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const service = new Service(options);
  await service.start();
  return service;
}

/** Answers reviews over HTTPS and tells of itself on the ops port, from `start` until `drain` or `close`. */
export class Service {
  readonly #options: ServiceOptions;
  readonly #reviews: Server;
  readonly #reviewPort: Port;
  readonly #opsPort: Port;
  readonly #connections: Connections;
  readonly #end = new AbortController();
  #stage: Stage = "open";
  #unsubscribe: (() => void) | undefined;
  #endChecks: (() => void) | undefined;
  #draining: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: ServiceOptions) {
    this.#options = options;
    const { certificates, clients, handlers, log, tracing } = options;
    const allowed = { ...limits, ...options.limits };
    const memory = new BodyMemory(allowed.memoryBytes);
    const metrics = createMetrics({
      bodyMemory: () => memory.held(),
      certificateExpiry: () => expiryOf(certificates),
      listers: () => options.listers?.states() ?? [],
    });
    const clock = options.clock ?? (() => performance.now());
    const turns = new TimeSlicer(clock);
    const batches = new BatchScheduler(clock);
    const stage = () => this.#stage;
    const context = {
      limits: allowed,
      memory,
      metrics,
      log,
      clock,
      turns,
      batches,
      tracing,
      stage,
      thread: options.thread,
    };
    const app = createApp(handlers, context);
    const serve: RequestListener = (request, response) => {
      this.#connections.owe(response);
      const rejection = clients === undefined || !isGuarded(request) ? undefined : rejectionOfClient(request);
      if (rejection === undefined) app(request, response);
      else reject(request, response, rejection, context);
    };
    this.#reviews = createReviewServer(certificates, clients, allowed, serve, (socket) => {
      log.debug("a connection stalled");
      socket.destroy();
    });
    this.#connections = new Connections(this.#reviews, { limits: allowed, log, clock });
    this.#reviews.on("clientError", (error, socket) =>
      answerClientError(error, socket, this.#connections, context),
    );
    // Scanners, and clients that do not trust the CA. Node leaves it to us to close the connection.
    this.#reviews.on("tlsClientError", (error, socket) => {
      log.debug({ err: error }, "a TLS handshake failed");
      socket.destroy();
    });
    this.#reviewPort = new Port(this.#reviews, log);
    const liveness = livenessOf({
      address: () => this.#reviewPort.address(),
      completed: () => this.#connections.completed(),
      clock,
      milliseconds: allowed.livenessMilliseconds,
    });
    // Without a certificate there can be no handshake, and a new process would have none either.
    const failure = async () => (certificates.ready() ? await liveness() : undefined);
    this.#opsPort = new Port(createOps({ metrics, obstacles: () => this.#obstacles(), failure, log }), log);
  }

  /** The port that reviews come to. */
  get port(): number {
    return this.#reviewPort.number();
  }

  get opsPort(): number {
    return this.#opsPort.number();
  }

  /** Listens on both ports. */
  async start(): Promise<void> {
    const { certificates, clients, host, port, opsPort } = this.#options;
    // Connections that are open stay as they were let in.
    const renew = () => this.#reviews.setSecureContext(tlsOptions(certificates, clients));
    this.#unsubscribe = certificates.onChange(renew);
    clients?.onChange(renew);
    this.#endChecks = (this.#options.repeat ?? repeat)(() => this.#connections.check(), 1_000);
    try {
      await this.#reviewPort.listen(port, host);
      await this.#opsPort.listen(opsPort, host);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /**
   * Leaves without losing a call: says at once that it is not ready, answers on for the time of grace, then finishes what
   * it has begun while it sends new requests elsewhere (503, which an API server repeats on another connection;
   * kubernetes.md 8c), and closes. Nobody is in a hurry to leave where there was a time of grace: then connections that
   * are idle have some more to be told.
   */
  drain(grace = this.#options.grace): Promise<void> {
    this.#draining ??= this.#drain(grace);
    return this.#draining;
  }

  /** Closes at once; unanswered calls are cut off. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #drain(grace: number): Promise<void> {
    const wait = this.#options.pause ?? pause;
    this.#stage = "draining";
    await wait(grace, this.#end.signal);
    this.#stage = "leaving";
    // A connection that is idle closes under a call that is just coming, and that call fails: each has its time to be
    // told, by the answer to its next one.
    const told = Promise.race([
      this.#reviewPort.empty(),
      wait(Math.min(grace, closingHeaders), this.#end.signal),
    ]);
    await Promise.race([told.then(() => this.#connections.idle()), wait(longestCall, this.#end.signal)]);
    await this.close();
  }

  async #close(): Promise<void> {
    this.#end.abort();
    this.#unsubscribe?.();
    this.#endChecks?.();
    this.#options.clients?.stop();
    await Promise.all([
      this.#reviewPort.shut(),
      this.#opsPort.shut(),
      this.#options.listers?.stop(),
      this.#options.thread?.stop(),
    ]);
  }

  #obstacles(): readonly string[] {
    const { certificates } = this.#options;
    return [
      ...(certificates.ready()
        ? []
        : [`there is no certificate to serve: ${certificates.fault() ?? "none came yet"}`]),
      ...(this.#stage === "open" ? [] : ["shutting down"]),
    ];
  }
}

/** Connections that are idle for longer than this are hardly used in the very millisecond in which they close. */
const closingHeaders = 2_000;

/** No API server waits longer for an answer (kubernetes.md 1.5). */
const longestCall = 30_000;
