/** How much one caller may ask of the service. */
export interface Limits {
  readonly admissionBytes: number;
  readonly conversionBytes: number;
  /** Bytes of a body that came in chunks, without a Content-Length: they have to be joined in one step. */
  readonly undeclaredBytes: number;
  /** Bytes of all bodies that are being read or answered at one time, and of the answers to large ones. */
  readonly memoryBytes: number;
  /** Connections at one time; one more takes the place of another. */
  readonly connections: number;
  /** Unfinished handshakes of one address at one time; one more takes the place of another. */
  readonly handshakes: number;
  /** How long a handshake may take, from the first packet on. */
  readonly handshakeMilliseconds: number;
  /** How long a call may take, from its headers until its answer is fetched. */
  readonly callMilliseconds: number;
  /** How long a body may take to come. */
  readonly bodyMilliseconds: number;
  /** How long a connection that moves no byte stays open, above all one whose caller does not fetch its answer. */
  readonly stallMilliseconds: number;
  /** How long the HTTPS port may take to shake hands with its own process before it counts as dead. */
  readonly livenessMilliseconds: number;
  /** From when on a review counts as slow, and the log is warned of it. */
  readonly slowMilliseconds: number;
  /** How much of a refused body is still taken in, so that its sender comes to read the answer. */
  readonly lingerBytes: number;
  readonly lingerMilliseconds: number;
}

const mebibyte = 1024 * 1024;

/** What is enough for an API server. */
export const limits: Limits = {
  // An API server takes requests of 3 MiB, an UPDATE carries two objects, and 1 MiB is for what stands around them
  // (kubernetes.md 1.11).
  admissionBytes: 7 * mebibyte,
  // Today each review carries one object; the contract allows a page of a list (kubernetes.md 1.4). Clients ask for
  // pages of 500, and 500 objects of 256 KiB are 125 MiB.
  conversionBytes: 128 * mebibyte,
  // API servers always say how long a body is.
  undeclaredBytes: 7 * mebibyte,
  // The largest with its answer, and as much again for all others; with what is parsed of them a pod of 1 GiB holds it.
  memoryBytes: 384 * mebibyte,
  // An API server needs some tens. Each may hold a small body in spite of the memory's limit: 64 MiB in all.
  connections: 1024,
  // Behind one address there may be all API servers of a cluster, which all connect anew when this process has restarted. More
  // than the backlog of a listening socket, so that what comes in one burst is let in.
  handshakes: 512,
  // An API server gives its handshake as long (client-go `transport/cache.go`, TLSHandshakeTimeout).
  handshakeMilliseconds: 10_000,
  // The longest body and the longest wait for an answer are both 30 s from the headers on; a rejection lingers for 2 s.
  callMilliseconds: 35_000,
  // No API server waits longer for a whole call, conversion or admission (kubernetes.md 1.5).
  bodyMilliseconds: 30_000,
  stallMilliseconds: 120_000,
  // Less than a probe's timeout in the manifests, which is 5 s.
  livenessMilliseconds: 4_000,
  // An API server notes a conversion of more than 50 ms and 8 ms an object (kubernetes.md 1.4), and gives the shortest
  // admission a second.
  slowMilliseconds: 500,
  lingerBytes: 16 * mebibyte,
  lingerMilliseconds: 2_000,
};

/** How long connections live, in milliseconds. Callers keep them for 90 s (kubernetes.md 1.5), so none of these may be shorter. */
export const connectionTimes = {
  // Where the idle times of both sides meet, 1 to 8 % of calls fail (kubernetes.md 8c).
  keepAliveTimeout: 115_000,
  // Node counts these from the moment a connection opens, and a caller may pool one that it has not used yet: for Node
  // that is a request whose headers are slow. Slow bodies have a deadline of their own, `bodyMilliseconds`.
  headersTimeout: 120_000,
  requestTimeout: 120_000,
};
