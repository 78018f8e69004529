import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { createServer, type Server, connect as secure } from "node:tls";
import type { KeyPair } from "../../certs/keypair.ts";

/** A TLS server with the pair, on a free port of 127.0.0.1. */
export async function serverWith(pair: KeyPair): Promise<{ server: Server; port: number }> {
  const server = createServer(toContext(pair), (socket) => {
    socket.on("error", () => socket.destroy());
    socket.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, port: (server.address() as AddressInfo).port };
}

/** The pair as a server's TLS options. */
export function toContext({ certificate, key }: KeyPair): { cert: string; key: string } {
  return { cert: certificate, key };
}

/** The serial that the server shows to a client which trusts `ca` alone and asks for `host`; rejects as the client does. */
export async function handshake(port: number, ca: string, host: string): Promise<string> {
  // The socket goes to 127.0.0.1 whatever the host: ::1 is then checked also where there is no IPv6.
  const socket = secure({ socket: connect(port, "127.0.0.1"), host, ca });
  try {
    await once(socket, "secureConnect");
    return socket.getPeerX509Certificate()?.serialNumber ?? "none";
  } finally {
    socket.destroy();
  }
}
