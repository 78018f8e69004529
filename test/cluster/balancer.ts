import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

/** Where a replica takes reviews, and where it says whether it is ready. */
export interface Endpoint {
  readonly port: number;
  readonly opsPort: number;
}

/** One address for several replicas, as a Service is: new connections go to those that are ready. */
export interface Balancer {
  readonly port: number;
  /** The replicas that there are; one that is left out keeps its connections, and gets no more. */
  to(...replicas: readonly Endpoint[]): void;
  /** Resolves when exactly these are ready, by what was last heard of them. */
  hasReady(...replicas: readonly Endpoint[]): Promise<void>;
  close(): Promise<void>;
}

const probeMilliseconds = 100;

/** Starts one. What is not ready, or gone, is noticed at the next probe, as a kubelet's: until then it gets connections. */
export async function startBalancer(...replicas: readonly Endpoint[]): Promise<Balancer> {
  const sockets = new Set<Socket>();
  let known = replicas;
  let ready = replicas;
  let turn = 0;
  let isOpen = true;
  const server = createServer({ noDelay: true }, (socket) => {
    const chosen = ready[turn++ % ready.length];
    if (chosen === undefined) return void socket.destroy();
    const onward = connect({ port: chosen.port, host: "127.0.0.1", noDelay: true });
    join(socket, onward, sockets);
    join(onward, socket, sockets);
  });
  const probing = (async () => {
    while (isOpen) {
      const answers = await Promise.all(known.map(isReady));
      const found = known.filter((_, index) => answers[index]);
      ready = found;
      await wait(probeMilliseconds);
    }
  })();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    to: (...next) => {
      known = next;
      ready = ready.filter((each) => next.includes(each));
    },
    hasReady: async (...wanted) => {
      while (!isSame(ready, wanted)) await wait(20);
    },
    close: async () => {
      isOpen = false;
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await Promise.all([closed, probing]);
    },
  };
}

/** Passes on what comes from one socket to another; where one breaks off, so does the other. */
function join(from: Socket, to: Socket, sockets: Set<Socket>): void {
  sockets.add(from);
  from.on("data", (chunk) => to.write(chunk));
  from.on("end", () => to.end());
  from.on("error", () => from.destroy());
  from.on("close", () => {
    sockets.delete(from);
    to.destroy();
  });
}

/** One that is gone refuses the connection at once; one that answers late, on a busy machine, works. */
const answerMilliseconds = 10_000;

async function isReady({ opsPort }: Endpoint): Promise<boolean> {
  const signal = AbortSignal.timeout(answerMilliseconds);
  const answer = await fetch(`http://127.0.0.1:${opsPort}/readyz`, { signal }).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.status === 200;
}

function isSame(some: readonly Endpoint[], others: readonly Endpoint[]): boolean {
  return some.length === others.length && others.every((each) => some.includes(each));
}
