/** The limits of a service. */
export interface Limits {
  /** Bytes of one body; a larger one is answered 413. */
  readonly bodyBytes: number;
  /** Bytes of all bodies that are being read or answered at one time, and of the answers to large ones. */
  readonly memoryBytes: number;
  /** Open connections; at the limit a new one replaces another. */
  readonly connections: number;
  /** Unfinished handshakes of one address; at the limit a new one replaces another. */
  readonly handshakes: number;
  /** How long a handshake may take, from the acceptance of its connection. */
  readonly handshakeMilliseconds: number;
  /** How long a request may take, from its headers until its response has been fetched. */
  readonly callMilliseconds: number;
  /** How long a body may take to arrive. */
  readonly bodyMilliseconds: number;
  /** How long a connection stays open on which no byte moves, such as one whose client does not fetch its response. */
  readonly stallMilliseconds: number;
  /** How long a handshake of this process with its own HTTPS port may take before `/livez` fails. */
  readonly livenessMilliseconds: number;
  /** From how many milliseconds on a review is logged as slow, at level warn. */
  readonly slowMilliseconds: number;
  /** How much of a rejected body is still read, and for how long, so that its sender gets to read the response. */
  readonly lingerBytes: number;
  readonly lingerMilliseconds: number;
}

const mebibyte = 1024 * 1024;

/** The limits by default, derived from what an API server sends. */
export const limits: Limits = {
  // A client's request has at most 3 MiB (apiserver `pkg/server/config.go`, MaxRequestBodyBytes), and what is stored 1.5 MiB
  // (etcd `embed/config.go`, DefaultMaxRequestBytes). What is stored may be larger at another version, but a client that sends
  // that version back has 3 MiB for it: so an object has 3 MiB.
  // An UPDATE has two of them, object and oldObject: 6 MiB, and 1 MiB is for the rest of its review.
  // A conversion has one. Its lists are read object by object (apiserver `pkg/storage/etcd3/store.go`, GetList: DecodeListItem;
  // apiextensions-apiserver `pkg/apiserver/customresource_handler.go`, crdConversionRESTOptionsGetter: the codec converts what
  // it decodes), so the list that `pkg/apiserver/conversion/webhook_converter.go`, getObjectsToConvert, could send has one item;
  // read in v0.34.0, measured on 1.36 and 1.37. The other 4 MiB are for what Go's encoder writes longer than a client: `<`, `>`
  // and `&` take six bytes, so two in fifteen characters of a text of 3 MiB may be of these. What is stored is written so already.
  bodyBytes: 7 * mebibyte,
  // More than fifty of the largest bodies, or a third of that with answers twice as large: as many API servers ask at once.
  // Together with the parsed values it fits into a pod of 1 GiB.
  memoryBytes: 384 * mebibyte,
  // An API server needs some tens. Each connection may hold a small body in spite of `memoryBytes`: 64 MiB in all.
  connections: 1024,
  // All API servers of a cluster may share one address, and all of them reconnect when this process has restarted. More than
  // the backlog of a listening socket (511 in Node.js), so that a whole burst is accepted.
  handshakes: 512,
  // As long as an API server waits for its handshake (client-go `transport/cache.go`, TLSHandshakeTimeout).
  handshakeMilliseconds: 10_000,
  // A body and its answer together may take 30 s from the headers on; a rejection lingers for 2 s.
  callMilliseconds: 35_000,
  // No API server waits longer for a whole request, conversion or admission.
  bodyMilliseconds: 30_000,
  stallMilliseconds: 120_000,
  // Less than the timeout of the probes in the manifests, which is 5 s.
  livenessMilliseconds: 4_000,
  // An API server logs a conversion of more than 50 ms and 8 ms an object; the shortest timeout of an admission is 1 s.
  slowMilliseconds: 500,
  lingerBytes: 16 * mebibyte,
  lingerMilliseconds: 2_000,
};

/**
 * Milliseconds. API servers keep idle connections for 90 s (apimachinery `pkg/util/net/http.go`, SetTransportDefaults). If this
 * side closes one first, the request that is on its way fails: none of these may be shorter.
 */
export const connectionTimes = {
  // Well above 90 s: where the idle times of both sides were equal, 1 to 8 % of an API server's requests failed.
  keepAliveTimeout: 115_000,
  // Node counts these from the opening of a connection, so a pooled connection that has not been used yet looks to it like a
  // request with slow headers. Slow bodies have a deadline of their own, `bodyMilliseconds`.
  headersTimeout: 120_000,
  requestTimeout: 120_000,
};
