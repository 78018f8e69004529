/**
 * Node's HTTP module, without its ESM form: to import that reads all its exports, one of which loads undici. This took 30 ms of the
 * start and 15 MiB.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule("node:http");
