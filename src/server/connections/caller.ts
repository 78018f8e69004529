import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";

/**
 * Identifies the caller of a connection, for limits by caller: by the fingerprint of its certificate if it has shown a trusted
 * one, else by its address. To be called after the handshake: the first result holds for the life of the socket.
 */
export function callerOf(socket: Socket): string {
  const known = callers.get(socket);
  if (known !== undefined) return known;
  const caller = certificateOf(socket) ?? socket.remoteAddress;
  // A socket that closed before the first call has no address any more.
  if (caller === undefined) return "unknown";
  callers.set(socket, caller);
  return caller;
}

const callers = new WeakMap<Socket, string>();

/** `authorized` alone is not enough: OpenSSL also says that of a resumed session that began without a certificate. */
function certificateOf(socket: Socket): string | undefined {
  return socket instanceof TLSSocket && socket.authorized
    ? socket.getPeerX509Certificate()?.fingerprint256
    : undefined;
}
