import type { IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import type { Rejection } from "./rejection.ts";

/** Whose certificates clients must show. */
export interface Clients {
  /** PEM of the authorities. */
  readonly current: () => string;
  readonly onChange: (listener: () => void) => void;
  readonly stop: () => void;
}

/**
 * Whether a request is for those with a certificate alone. A conversion is for everybody: an API server shows none when it
 * asks for one, and cannot be told to (its converter is made without a kubeconfig), and nothing is told but what becomes
 * of the asker's own objects.
 */
export function isGuarded({ url = "" }: IncomingMessage): boolean {
  return !/^\/convert(?:[/?]|$)/.test(url);
}

/**
 * Why a caller is not let in, where certificates are asked for; undefined for one that is. A Status is shown to the user
 * by the API server (kubernetes.md 1.6), a handshake that breaks off is shown as `EOF`: so the handshake is let through.
 */
export function rejectionOfClient({ socket }: IncomingMessage): Rejection | undefined {
  const caller = socket as TLSSocket;
  if (known.has(caller)) return undefined;
  // Both: a session that is resumed without a certificate is `authorized` for OpenSSL, and was begun by anybody.
  if (caller.getPeerX509Certificate() === undefined) return unidentified;
  if (!caller.authorized) return untrusted;
  known.add(caller);
  return undefined;
}

const known = new WeakSet<TLSSocket>();

const unidentified: Rejection = {
  code: 401,
  message: "admission is for clients with a certificate here, and none was shown",
  headers: { Connection: "close" },
};

const untrusted: Rejection = {
  code: 403,
  message: "the client's certificate is not signed by an authority that is trusted here, or is not valid now",
  headers: { Connection: "close" },
};
