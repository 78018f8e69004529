import { X509Certificate } from "node:crypto";
import type { RequestListener } from "node:http";
import { createServer, type Server, type ServerOptions } from "node:https";
import type { Socket } from "node:net";
import type { SecureContextOptions } from "node:tls";
import type { CertificateSource } from "../../certs/source.ts";
import type { Clients } from "./clients.ts";
import { connectionTimes, type Limits } from "./limits.ts";

/** The HTTPS server of the reviews, with the certificate that there is now, if any. It does not listen yet. */
export function createReviewServer(
  certificates: CertificateSource,
  clients: Clients | undefined,
  { stallMilliseconds }: Limits,
  listener: RequestListener,
  stalled: (socket: Socket) => void,
): Server {
  const { headersTimeout, requestTimeout, keepAliveTimeout } = connectionTimes;
  const options: ServerOptions = {
    ...tlsOptions(certificates, clients),
    // Whoever shows none, or a bad one, is told so in words.
    ...(clients === undefined ? {} : { requestCert: true, rejectUnauthorized: false }),
    // An API server speaks HTTP/1.1 to a Service (kubernetes.md 1.1).
    ALPNProtocols: ["http/1.1"],
    headersTimeout,
    requestTimeout,
    keepAliveTimeout,
    noDelay: true,
    // A peer that has vanished without a word is noticed, whatever it had asked for.
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
  };
  // A client that has said all may shut its side and is still answered. Not `allowHalfOpen` among the options: a handshake that
  // its client has left would go on.
  const server = Object.assign(createServer(options, listener), { httpAllowHalfOpen: true });
  server.setTimeout(stallMilliseconds, stalled);
  // Whether a body is wanted is judged before its sender is told to go on.
  server.on("checkContinue", listener);
  return server;
}

/** What every secure context is made of: setSecureContext forgets what it is not told again. */
export function tlsOptions(
  certificates: CertificateSource,
  clients: Clients | undefined,
): SecureContextOptions {
  const pair = certificates.current();
  return {
    minVersion: "TLSv1.2",
    ciphers,
    ...(pair === undefined ? {} : { cert: pair.certificate, key: pair.key }),
    ...(clients === undefined ? {} : { ca: clients.current() }),
  };
}

/**
 * All of TLS 1.3, and of TLS 1.2 what an API server offers (Go `crypto/tls` cipherSuitesPreferenceOrder) with forward secrecy and
 * authenticated encryption, for keys of both kinds. OpenSSL's own list has key exchange by RSA too: whoever gets the key could read
 * what was recorded before.
 */
const ciphers = [
  "TLS_AES_128_GCM_SHA256",
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
].join(":");

/** When the certificate that is served expires. */
export function expiryOf(certificates: CertificateSource): Date | undefined {
  const pair = certificates.current();
  return pair === undefined ? undefined : new X509Certificate(pair.certificate).validToDate;
}
