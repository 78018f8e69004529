import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";

/**
 * Who a connection belongs to, as a key to share by: the client's certificate where it has shown one that is trusted, else
 * its address. Ask once the handshake is over: what is found first holds for the life of the socket.
 */
export function callerOf(socket: Socket): string {
  const known = callers.get(socket);
  if (known !== undefined) return known;
  const caller = certificateOf(socket) ?? socket.remoteAddress;
  // A socket that has closed before the first look no longer has an address.
  if (caller === undefined) return "unknown";
  callers.set(socket, caller);
  return caller;
}

const callers = new WeakMap<Socket, string>();

/** The certificate has to be there too: a resumed session that began without one counts as `authorized` for OpenSSL. */
function certificateOf(socket: Socket): string | undefined {
  return socket instanceof TLSSocket && socket.authorized
    ? socket.getPeerX509Certificate()?.fingerprint256
    : undefined;
}
