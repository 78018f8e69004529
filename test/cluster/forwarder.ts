import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Stands between an API server and a service, as a Service does, and can be made to misbehave. */
export interface Forwarder {
  readonly port: number;
  /** Where connections go that are opened from now on, to several ports in turn; those that are open stay where they are. */
  to(...ports: readonly number[]): void;
  /** Stops listening and aborts open connections. */
  close(): Promise<void>;
  /** Listens again, at the same port. */
  open(): Promise<void>;
  /** Milliseconds by which every response is delayed. */
  delay(milliseconds: number): void;
  /** How many connections were opened so far. */
  opened(): number;
  /** How many pieces of responses were delayed so far. */
  delayed(): number;
}

/** Forwards connections to a port of this machine. */
export async function startForwarder(target: number): Promise<Forwarder> {
  const sockets = new Set<Socket>();
  let targets: readonly number[] = [target];
  let opened = 0;
  let wait = 0;
  let delayed = 0;
  const later = (work: () => void) => {
    if (wait === 0) return work();
    delayed++;
    setTimeout(work, wait);
  };
  const server = createServer({ noDelay: true }, (socket) => {
    const onward = connect({
      port: targets[opened++ % targets.length] ?? target,
      host: "127.0.0.1",
      noDelay: true,
    });
    for (const each of [socket, onward]) {
      sockets.add(each);
      // If the connection on one side breaks, the other is closed.
      each.on("error", () => each.destroy());
      each.on("close", () => {
        sockets.delete(each);
        socket.destroy();
        onward.destroy();
      });
    }
    socket.on("data", (chunk) => onward.write(chunk));
    onward.on("data", (chunk) => later(() => socket.write(chunk)));
    socket.on("end", () => onward.end());
    onward.on("end", () => later(() => socket.end()));
  });
  const listen = async (port: number) => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    to(...ports) {
      targets = ports;
    },
    delay(milliseconds) {
      wait = milliseconds;
    },
    opened: () => opened,
    delayed: () => delayed,
    open: () => listen(port),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
