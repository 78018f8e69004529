import type { IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import type { Rejection } from "../shared/rejection.ts";

/** The certificate authorities that client certificates must be signed by. */
export interface ClientAuthorities {
  /** As PEM. */
  readonly current: () => string;
  readonly onChange: (listener: () => void) => void;
  readonly stop: () => void;
}

/**
 * Whether a request requires a client certificate. Conversion does not: an API server shows no certificate when it asks for
 * one and cannot be configured to (apiextensions-apiserver makes its converter without a kubeconfig), and the response holds
 * nothing but the caller's own objects.
 */
export function requiresCertificate({ url = "" }: IncomingMessage): boolean {
  return !/^\/convert(?:[/?]|$)/.test(url);
}

/**
 * Why a client's certificate is not accepted; undefined if it is. The handshake always succeeds, so that the client can get
 * a Status: an API server shows that to its user, but shows a failed handshake as `EOF`.
 */
export function rejectionOfClient({ socket }: IncomingMessage): Rejection | undefined {
  const client = socket as TLSSocket;
  if (accepted.has(client)) return undefined;
  // Both conditions: OpenSSL calls a resumed session without a certificate `authorized`, and any client can begin one.
  if (client.getPeerX509Certificate() === undefined) return unauthenticated;
  if (!client.authorized) return untrusted;
  accepted.add(client);
  return undefined;
}

const accepted = new WeakSet<TLSSocket>();

const unauthenticated: Rejection = {
  code: 401,
  message: "admission is for clients with a certificate here, and none was shown",
  headers: { Connection: "close" },
};

const untrusted: Rejection = {
  code: 403,
  message: "the client's certificate is not signed by an authority that is trusted here, or is not valid now",
  headers: { Connection: "close" },
};
