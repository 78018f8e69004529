import { createServer, get as httpGet, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import { type Collection, ResourceExpired } from "../../src/cluster/api/collection.ts";
import type { ClusterResponse, Connection } from "../../src/cluster/api/connection.ts";
import { UnknownKind } from "../../src/cluster/api/requests.ts";
import { linesOf, ResponseTooLong, textOf } from "../../src/cluster/api/stream.ts";
import { Informer } from "../../src/cluster/follow/informer.ts";
import type { Json } from "../../src/json/json.ts";

// What a broken API server, or something in its place, may answer. Time is that of the test: it passes while one waits.
describe("an informer", () => {
  it("backs off if the resource version of every watch is too old", async () => {
    const { calls, waits } = await asked({
      list: () => page([], ""),
      watch: () => {
        throw new ResourceExpired("too old");
      },
    });
    expect(waits.slice(0, 7)).toEqual([800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000]);
    expect(calls).toBeLessThan(40);
  });

  it("backs off if every watch ends after one event", async () => {
    let version = 0;
    const { calls } = await asked({
      list: () => page([], ""),
      watch: async function* () {
        yield JSON.stringify({
          type: "BOOKMARK",
          object: { metadata: { resourceVersion: String(++version) } },
        });
      },
    });
    expect(calls).toBeLessThan(40);
  });

  it("abandons a list with too many pages", async () => {
    let token = 0;
    const { calls, reasons } = await asked({ list: () => page([object("a")], `t${++token}`) });
    expect(reasons[0]).toContain("more than 1000 pages");
    expect(calls).toBeLessThan(30_000);
  });

  it("abandons a list with a repeated continue token", async () => {
    const { calls, reasons } = await asked({ list: () => page([object("a")], "again") });
    expect(reasons[0]).toContain("a continue token was repeated");
    expect(calls).toBeLessThan(60);
  });

  it("requests fewer objects per page if they are too large", async () => {
    const limits: number[] = [];
    const { informer } = await asked({
      list: (query) => {
        const limit = Number(query.get("limit"));
        limits.push(limit);
        const first = Number(query.get("continue") ?? 0);
        const objects = Array.from({ length: Math.min(limit, 40 - first) }, (_, at) =>
          object(`o${first + at}`),
        );
        // Each of them is so large that sixteen are too many.
        if (objects.length > 16) throw new ResponseTooLong("the answer is too long");
        const next = first + objects.length;
        return page(objects, next < 40 ? String(next) : "");
      },
    });
    expect(informer.list("")).toHaveLength(40);
    expect(limits).toEqual([500, 250, 125, 63, 32, 16, 16, 16]);
  });

  it("of an optional kind that the API server lacks lists no objects after some answers, and waits for others", async () => {
    const missing = () => {
      throw new UnknownKind("the API server does not know the group example.org");
    };
    const list = () => page([object("a")], "");
    const optional = await asked({ list, locate: missing, isOptional: true });
    expect(optional.informer.list("")).toEqual([]);
    const needed = await asked({ list, locate: missing });
    expect(() => needed.informer.list("")).toThrow("not listed yet");
    let asks = 0;
    const late = await asked({ list, locate: () => (++asks < 8 ? missing() : place), isOptional: true });
    expect(late.informer.list("")).toHaveLength(1);
    const unreachable = () => {
      throw new Error("connection refused");
    };
    const broken = await asked({ list, locate: unreachable, isOptional: true });
    expect(() => broken.informer.list("")).toThrow("not listed yet");
  });

  it("requests the whole list at once if the resource version of its pages expired", async () => {
    const { informer } = await asked({
      list: (query) => {
        if (query.has("continue")) return answer(410, { kind: "Status", message: "too old", code: 410 });
        return query.has("limit") ? page([object("old")], "next") : page([object("a"), object("b")], "");
      },
    });
    expect(informer.list("").map(({ metadata }) => (metadata as { name: string }).name)).toEqual(["a", "b"]);
  });
});

describe("a response", () => {
  const ends: (() => void)[] = [];
  afterEach(() => {
    for (const end of ends.splice(0)) end();
  });

  it("that is too long is not read to the end", async () => {
    const response = await answered("x".repeat(64 * 1024), 100);
    await expect(textOf(response, 1_000_000)).rejects.toThrow(
      "the response is longer than 1000000 characters",
    );
  });

  it("without a line feed is abandoned, also if it arrives byte by byte", async () => {
    const response = await answered("x", 100_000);
    await expect(readAll(linesOf(response, 10_000, 50_000))).rejects.toThrow("is too long");
  });

  it("is split into lines, also if it arrives byte by byte", async () => {
    const response = await answered("x", 20_000, "\nend\n");
    expect(await readAll(linesOf(response, 10_000))).toEqual(["x".repeat(20_000), "end"]);
  });

  async function answered(piece: string, times: number, last = ""): Promise<IncomingMessage> {
    const server = createServer((_request, response) => {
      for (let count = 0; count < times; count++) response.write(piece);
      response.end(last);
    });
    ends.push(() => {
      server.closeAllConnections();
      server.close();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    return new Promise((resolve) => httpGet({ port, host: "127.0.0.1" }, resolve));
  }
});

async function readAll(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

interface Answers {
  readonly list: (query: URLSearchParams) => ClusterResponse;
  readonly watch?: () => AsyncIterable<string>;
  readonly locate?: () => Collection;
  readonly isOptional?: boolean;
}

/** What an informer did in five minutes with such answers: it waits by moving the clock. */
async function asked({ list, watch = silent, locate = () => place, isOptional = false }: Answers) {
  let [time, calls] = [0, 0];
  const [waits, reasons]: [number[], string[]] = [[], []];
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const connection: Connection = {
    server: "https://nowhere",
    request: async (_method, path) => {
      calls++;
      return list(new URL(path, "https://nowhere").searchParams);
    },
    watch: () => {
      calls++;
      return watch === silent ? silent(end) : watch();
    },
    close: () => {},
  };
  const informer = new Informer({
    name: "Thing.example.org",
    connection,
    isOptional,
    locate: async () => locate(),
    keep: (each) => each,
    pause: async (milliseconds, signal) => {
      waits.push(milliseconds);
      time += milliseconds;
      if (time > 300_000) end();
      if (time > 300_000 && !signal.aborted)
        await new Promise((done) => signal.addEventListener("abort", done));
    },
    now: () => new Date(time),
    random: () => 0,
    log: pino(
      { level: "info" },
      { write: (line: string) => void reasons.push(JSON.parse(line).reason ?? "") },
    ),
  });
  informer.start();
  await over;
  await informer.stop();
  return { informer, calls, waits, reasons: reasons.filter((reason) => reason !== "") };
}

/** A watch in which nothing happens, after which there is nothing to wait for. */
async function* silent(end: () => void = () => {}): AsyncGenerator<string, void, void> {
  end();
}

const place = {
  path: "/apis/example.org/v1/things",
  query: {},
  accept: { list: "application/json", watch: "application/json" },
  apiVersion: "example.org/v1",
  kind: "Thing",
};

function object(name: string): Json {
  return { metadata: { name } };
}

function page(items: readonly Json[], token: string): ClusterResponse {
  return answer(200, { items, metadata: { resourceVersion: "7", continue: token } });
}

function answer(status: number, body: Json): ClusterResponse {
  return { status, body, retryAfter: undefined, text: JSON.stringify(body) };
}
