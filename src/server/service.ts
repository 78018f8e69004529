import type { RequestListener } from "node:http";
import type { Server } from "node:https";
import type { Logger } from "pino";
import { type CertificateSource, type Repeat, repeat } from "../../certs/source.ts";
import type { CrdDifference } from "../cluster/follow/following-kind.ts";
import type { InformerState } from "../cluster/follow/informer.ts";
import { type Pause, pause, type Stage } from "../time.ts";
import { type Behind, createApp, type Handlers } from "./app.ts";
import { BatchScheduler } from "./batches.ts";
import { BodyMemory } from "./body/memory.ts";
import { answerClientError } from "./connections/client-error.ts";
import { type ClientAuthorities, rejectionOfClient, requiresCertificate } from "./connections/clients.ts";
import { Connections } from "./connections/connections.ts";
import { livenessOf } from "./connections/liveness.ts";
import { Port } from "./connections/port.ts";
import { createReviewServer, expiryOf, tlsOptions } from "./connections/tls.ts";
import type { KeptAnswers } from "./kept-answers.ts";
import type { ReviewThread } from "./large/review-thread.ts";
import { createOps } from "./ops.ts";
import { reject } from "./review.ts";
import { type Limits, limits } from "./shared/limits.ts";
import { createMetrics, noUpstream, type UpstreamCounts } from "./shared/metrics.ts";
import type { Tracing } from "./tracing.ts";

/** How a service is started. */
export interface ServiceOptions {
  readonly handlers: Handlers;
  readonly certificates: CertificateSource;
  /** The authorities of the certificates that clients must show for admission; without it none is asked for. */
  readonly clients?: ClientAuthorities;
  /** Address to listen on; by default every address of the machine. */
  readonly host?: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly opsPort: number;
  /** Milliseconds to go on answering once draining has begun: until API servers send their reviews elsewhere. */
  readonly grace: number;
  readonly log: Logger;
  /** The listers that reviews are answered with: reported in the metrics, and stopped with the service. */
  readonly listers?: {
    readonly states: () => readonly InformerState[];
    /** How the CRDs that they follow differ from this release. */
    readonly crds?: () => readonly CrdDifference[];
    readonly stop: () => Promise<void>;
  };
  /** Another service that reviews are answered with: until it has answered once this one is not ready, later it only warns. */
  readonly upstream?: UpstreamState;
  /** Another service on whose port this one answers. */
  readonly behind?: Behind;
  /** Answers large reviews, and is stopped with the service; without it they block the main thread. */
  readonly thread?: ReviewThread;
  readonly limits?: Partial<Limits>;
  /** Answers to conversions that were asked before; without it each is converted. */
  readonly kept?: KeptAnswers | undefined;
  /** Does the work on a request within the trace of its caller; without it traces are only logged. */
  readonly tracing?: Tracing | undefined;
  readonly pause?: Pause;
  /** Milliseconds, from any start; by default those of the process. */
  readonly clock?: () => number;
  /** Repeats the checks of connections. */
  readonly repeat?: Repeat;
}

/** Another service that this one depends on. */
export interface UpstreamState {
  /** A sentence while it cannot be used. */
  readonly fault: () => string | undefined;
  /** Whether it has ever answered. */
  readonly wasReached: () => boolean;
  readonly counts: () => UpstreamCounts;
}

/** Starts a service; resolves when both ports listen, rejects when one cannot. A certificate may come later. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const service = new Service(options);
  await service.start();
  return service;
}

/** Answers reviews over HTTPS, and serves health and metrics on the ops port, from `start` until `drain` or `close`. */
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
      certificateFault: () => certificates.fault() !== undefined,
      rotationPhase: () => certificates.phase?.(),
      listers: () => options.listers?.states() ?? [],
      crds: () => options.listers?.crds?.() ?? [],
      upstream: () => options.upstream?.counts() ?? noUpstream,
    });
    const clock = options.clock ?? (() => performance.now());
    const batches = new BatchScheduler(clock);
    const stage = () => this.#stage;
    const context = {
      limits: allowed,
      memory,
      metrics,
      log,
      clock,
      batches,
      tracing,
      stage,
      thread: options.thread,
      kept: options.kept,
    };
    const app = createApp(handlers, context, options.behind);
    const serve: RequestListener = (request, response) => {
      const leaveConnection = this.#connections.enter(response);
      const leaveBatches = batches.enter();
      // One listener for both, since every small review pays for each listener.
      response.once("close", () => {
        leaveConnection();
        leaveBatches();
      });
      const isGuarded = clients !== undefined && requiresCertificate(request);
      const rejection = isGuarded ? rejectionOfClient(request) : undefined;
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
    // Port scanners, and clients that do not trust the CA. Node leaves the connection open.
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
    // Without a certificate no handshake can succeed, and a restart would not help.
    const failure = async () => (certificates.ready() ? await liveness() : undefined);
    const obstacles = () => this.#obstacles();
    const warnings = () =>
      [certificates.fault(), options.upstream?.fault()].filter((fault) => fault !== undefined);
    this.#opsPort = new Port(createOps({ metrics, obstacles, warnings, failure, log }), log);
  }

  /** The HTTPS port, for reviews. */
  get port(): number {
    return this.#reviewPort.number();
  }

  /** The port for health and metrics. */
  get opsPort(): number {
    return this.#opsPort.number();
  }

  /** Listens on both ports. */
  async start(): Promise<void> {
    const { certificates, clients, host, port, opsPort } = this.#options;
    // Open connections keep the certificates that they began with.
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
   * Shuts down without losing a request: is not ready at once, answers for the grace period, then finishes the requests
   * that it has begun while it rejects new ones with a 503, which an API server repeats on another connection, and closes.
   * After a grace period idle connections stay open for a little longer, so that the next response on each can ask its
   * client to close it.
   */
  drain(grace = this.#options.grace): Promise<void> {
    this.#draining ??= this.#drain(grace);
    return this.#draining;
  }

  /** Closes at once; unanswered requests fail. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #drain(grace: number): Promise<void> {
    const wait = this.#options.pause ?? pause;
    this.#stage = "draining";
    await wait(grace, this.#end.signal);
    this.#stage = "leaving";
    // If an idle connection is closed while a request is on its way, that request fails. The response to the next request
    // on each connection asks the client to close it.
    const emptied = Promise.race([
      this.#reviewPort.empty(),
      wait(Math.min(grace, idlePatience), this.#end.signal),
    ]);
    await Promise.race([
      emptied.then(() => this.#connections.idle()),
      wait(longestRequest, this.#end.signal),
    ]);
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
    const { upstream } = this.#options;
    const missing =
      upstream?.wasReached() === false ? [upstream.fault() ?? "the upstream was not reached yet"] : [];
    return [
      ...this.#certificateObstacles(),
      ...missing,
      ...(this.#stage === "open" ? [] : ["shutting down"]),
    ];
  }

  #certificateObstacles(): readonly string[] {
    const { certificates } = this.#options;
    if (certificates.ready()) return [];
    const fault = certificates.fault() ?? "none has arrived yet";
    const isServed = certificates.current() !== undefined;
    return [
      isServed ? `the certificate is not usable: ${fault}` : `there is no certificate to serve: ${fault}`,
    ];
  }
}

/** Milliseconds; a connection that has been idle for longer is unlikely to be used in the moment in which it is closed. */
const idlePatience = 2_000;

/** Milliseconds; an API server waits at most 30 s for a webhook (`timeoutSeconds` of admission; fixed for conversion). */
const longestRequest = 30_000;
