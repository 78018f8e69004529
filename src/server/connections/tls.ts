import { X509Certificate } from "node:crypto";
import type { RequestListener } from "node:http";
import { createServer, type Server, type ServerOptions } from "node:https";
import type { Socket } from "node:net";
import type { SecureContextOptions } from "node:tls";
import type { CertificateSource } from "../../../certs/source.ts";
import { connectionTimes, type Limits } from "../shared/limits.ts";
import type { ClientAuthorities } from "./clients.ts";

/** Makes the HTTPS server for reviews, with the current certificate, if there is one. It does not listen yet. */
export function createReviewServer(
  certificates: CertificateSource,
  clients: ClientAuthorities | undefined,
  { stallMilliseconds }: Limits,
  listener: RequestListener,
  stalled: (socket: Socket) => void,
): Server {
  const { headersTimeout, requestTimeout, keepAliveTimeout } = connectionTimes;
  const options: ServerOptions = {
    ...tlsOptions(certificates, clients),
    // A client without a valid certificate is let in to get a rejection that says why.
    ...(clients === undefined ? {} : { requestCert: true, rejectUnauthorized: false }),
    // An API server uses HTTP/1.1 for a Service (apiserver `pkg/util/webhook/client.go`, NextProtos).
    ALPNProtocols: ["http/1.1"],
    headersTimeout,
    requestTimeout,
    keepAliveTimeout,
    noDelay: true,
    // TCP keep-alive: notices a peer that has vanished without closing the connection.
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
  };
  // A client may half-close its connection after its request and is still answered. The option `allowHalfOpen` would also keep
  // handshakes that their clients have left.
  const server = Object.assign(createServer(options, listener), { httpAllowHalfOpen: true });
  server.setTimeout(stallMilliseconds, stalled);
  // A body is rejected by its headers before its sender gets `100 Continue`.
  server.on("checkContinue", listener);
  return server;
}

/** The options of every secure context: setSecureContext resets those that it is not given. */
export function tlsOptions(
  certificates: CertificateSource,
  clients: ClientAuthorities | undefined,
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
 * authenticated encryption, for keys of both kinds. OpenSSL's default list has RSA key exchange too: with a stolen key,
 * traffic recorded before could be decrypted.
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
