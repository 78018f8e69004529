import { execFile, execFileSync } from "node:child_process";
import { mkdir, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Authority, createAuthority } from "../../certs/authority.ts";
import { filesSource } from "../../certs/files.ts";
import { factsOf, type KeyPair } from "../../certs/keypair.ts";
import type { Repeat } from "../../certs/source.ts";
import { handshake, serverWith, toContext } from "./handshake.ts";
import { scratch } from "./scratch.ts";

const now = new Date();
const never: Repeat = () => () => undefined;

let authority: Authority;
let first: KeyPair;
let second: KeyPair;
let shortLived: KeyPair;

beforeAll(async () => {
  const hosts = ["localhost"];
  authority = await createAuthority({ commonName: "files test", now, days: 30 });
  [first, second, shortLived] = await Promise.all([
    authority.issue({ hosts, now, days: 20 }),
    authority.issue({ hosts, now, days: 20 }),
    authority.issue({ hosts, now, days: 1 }),
  ]);
});

/** How a pair gets into a directory, where `round` counts the pairs before it. */
type Put = (directory: string, pair: KeyPair, round: number) => Promise<void>;

const byWriting: Put = async (directory, { certificate, key }) => {
  await writeFile(join(directory, "tls.crt"), certificate);
  await writeFile(join(directory, "tls.key"), key);
};

const byRenaming: Put = async (directory, { certificate, key }) => {
  await writeFile(join(directory, "new.crt"), certificate);
  await writeFile(join(directory, "new.key"), key);
  await rename(join(directory, "new.crt"), join(directory, "tls.crt"));
  await rename(join(directory, "new.key"), join(directory, "tls.key"));
};

const byRemovingAndAdding: Put = async (directory, pair) => {
  for (const name of ["tls.crt", "tls.key"]) await rm(join(directory, name), { force: true });
  await byWriting(directory, pair, 0);
};

/** tls.crt → ..data/tls.crt, ..data → a directory a round: an update is one rename of the link `..data`. */
const asKubeletDoes: Put = async (directory, pair, round) => {
  await mkdir(join(directory, `..round${round}`));
  await byWriting(join(directory, `..round${round}`), pair, round);
  await symlink(`..round${round}`, join(directory, "..data_tmp"));
  await rename(join(directory, "..data_tmp"), join(directory, "..data"));
  if (round > 0) return rm(join(directory, `..round${round - 1}`), { recursive: true });
  for (const name of ["tls.crt", "tls.key"]) await symlink(join("..data", name), join(directory, name));
};

const ways: [string, Put][] = [
  ["writing", byWriting],
  ["renaming", byRenaming],
  ["removing and adding again", byRemovingAndAdding],
  ["swapping kubelet's symlink", asKubeletDoes],
];

interface Watched {
  readonly directory: string;
  readonly source: Awaited<ReturnType<typeof filesSource>>;
  readonly pairs: KeyPair[];
  readonly faults: string[];
}

/** A source on a directory of its own that holds `first`, and what it reported since then. */
async function watched(put: Put = byWriting, clock = () => now): Promise<Watched> {
  const directory = await scratch();
  await put(directory, first, 0);
  return listening(directory, clock);
}

async function listening(directory: string, clock = () => now): Promise<Watched> {
  const source = await filesSource({ directory, now: clock, repeat: never });
  const pairs: KeyPair[] = [];
  const faults: string[] = [];
  source.onChange((pair) => pairs.push(pair));
  source.onFault((fault) => faults.push(fault));
  return { directory, source, pairs, faults };
}

const serialOf = (pair: KeyPair) => factsOf(pair.certificate).serial;

describe("a files source at start", () => {
  it("holds the pair that is there", async () => {
    const { source } = await watched();
    expect(source.ready()).toBe(true);
    expect(source.current()).toEqual(first);
    expect(source.fault()).toBeUndefined();
    expect(source.authority()).toBeUndefined();
  });

  it("is not ready without files, and reports which one is missing", async () => {
    const directory = await scratch();
    const nowhere = await listening(join(directory, "nowhere"));
    expect(nowhere.source.fault()).toBe(`${join(directory, "nowhere", "tls.crt")} is missing`);
    await writeFile(join(directory, "tls.crt"), first.certificate);
    const { source } = await listening(directory);
    expect(source.ready()).toBe(false);
    expect(source.current()).toBeUndefined();
    expect(source.fault()).toBe(`${join(directory, "tls.key")} is missing`);
  });

  it("becomes ready as soon as there is a pair", async () => {
    const { directory, source, pairs } = await listening(await scratch());
    await byWriting(directory, first, 0);
    await source.check();
    expect(source.ready()).toBe(true);
    expect(source.fault()).toBeUndefined();
    expect(pairs).toEqual([first]);
  });

  it("rejects an expired pair and reports it", async () => {
    const { source } = await watched(byWriting, () => new Date(now.getTime() + 25 * 86_400_000));
    expect(source.ready()).toBe(false);
    expect(source.fault()).toMatch(/expired at/);
  });
});

describe("a files source", () => {
  it.each(ways)("holds the new pair at the next check after %s", async (_, put) => {
    const { directory, source, pairs, faults } = await watched(put);
    await put(directory, second, 1);
    await source.check();
    expect(source.current()).toEqual(second);
    await put(directory, first, 2);
    await source.check();
    expect(pairs).toEqual([second, first]);
    expect(faults).toEqual([]);
  });

  it("reports nothing while the content stays the same, even if the files are rewritten", async () => {
    const { directory, source, pairs, faults } = await watched();
    for (const [, put] of ways.slice(0, 3)) {
      await put(directory, first, 0);
      await source.check();
    }
    expect([pairs, faults]).toEqual([[], []]);
  });

  it("reports no fault if the files are swapped during a check", async () => {
    const { directory, source, faults } = await watched(asKubeletDoes);
    for (let round = 1; round <= 40; round++) {
      const pair = round % 2 === 0 ? first : second;
      await Promise.all([asKubeletDoes(directory, pair, round), source.check(), source.check()]);
      await source.check();
      expect(source.current()).toEqual(pair);
    }
    expect(faults).toEqual([]);
  });

  it("keeps the old pair while the new certificate lacks its key, reports that once, and recovers", async () => {
    const { directory, source, pairs, faults } = await watched();
    await writeFile(join(directory, "tls.crt"), second.certificate);
    await source.check();
    await source.check();
    expect(source.current()).toEqual(first);
    expect(source.ready()).toBe(true);
    expect(faults).toEqual([expect.stringContaining("does not belong to the certificate")]);
    expect(source.fault()).toContain(`still serving serial ${serialOf(first)}`);
    await writeFile(join(directory, "tls.key"), second.key);
    await source.check();
    expect(pairs).toEqual([second]);
    expect(source.fault()).toBeUndefined();
  });

  it("keeps the old pair while files are missing, and reports the same fault again if it recurs", async () => {
    const { directory, source, pairs, faults } = await watched();
    for (let round = 0; round < 2; round++) {
      await rm(join(directory, "tls.key"));
      await source.check();
      await writeFile(join(directory, "tls.key"), first.key);
      await source.check();
    }
    expect(pairs).toEqual([]);
    const fault = `${join(directory, "tls.key")} is missing; still serving serial ${serialOf(first)}`;
    expect(faults).toEqual([fault, fault]);
  });

  it.each<[string, RegExp, (path: string) => Promise<unknown>]>([
    ["cut off", /truncated/, (path) => writeFile(path, second.certificate.slice(0, 500))],
    ["empty", /no certificate in PEM/, (path) => writeFile(path, "")],
    [
      "a 100 MB file",
      /tls.crt has 104857600 bytes; 1048576 is the limit/,
      (path) => truncate(path, 100 * 2 ** 20),
    ],
    ["a directory", /tls.crt is not a regular file/, (path) => rm(path).then(() => mkdir(path))],
    [
      "a FIFO",
      /tls.crt is not a regular file/,
      async (path) => rm(path).then(() => execFileSync("mkfifo", [path])),
    ],
    ["a device", /tls.crt is not a regular file/, (path) => rm(path).then(() => symlink("/dev/zero", path))],
    ["a link to itself", /tls.crt cannot be read: ELOOP/, (path) => rm(path).then(() => symlink(path, path))],
  ])("keeps the old pair when tls.crt becomes %s", async (_, sentence, spoil) => {
    const { directory, source, faults } = await watched();
    await spoil(join(directory, "tls.crt"));
    await source.check();
    expect(source.current()).toEqual(first);
    expect(faults).toEqual([expect.stringMatching(sentence)]);
  });

  it("rejects a replacement that has expired", async () => {
    const { directory, source, faults } = await watched(
      byWriting,
      () => new Date(now.getTime() + 2 * 86_400_000),
    );
    await byWriting(directory, shortLived, 1);
    await source.check();
    expect(source.current()).toEqual(first);
    expect(faults).toEqual([expect.stringMatching(`serial ${serialOf(shortLived)} expired at`)]);
  });

  it("keeps serving a pair that expires if there is no other, and reports it", async () => {
    let present = now;
    const { source, pairs, faults } = await watched(byWriting, () => present);
    present = new Date(now.getTime() + 25 * 86_400_000);
    await source.check();
    await source.check();
    expect(source.current()).toEqual(first);
    expect(source.ready()).toBe(true);
    expect(pairs).toEqual([]);
    expect(faults).toEqual([expect.stringMatching(/expired at/)]);
  });
});

describe("a files source's authority", () => {
  it("is the content of ca.crt, and a change of it is reported", async () => {
    const { directory, source, pairs } = await watched();
    await writeFile(join(directory, "ca.crt"), authority.certificate);
    await source.check();
    expect(source.authority()).toBe(authority.certificate);
    await rm(join(directory, "ca.crt"));
    await source.check();
    expect(source.authority()).toBeUndefined();
    expect(pairs).toEqual([first, first]);
  });

  it("stays the same if ca.crt becomes invalid, which is reported and does not delay a new pair", async () => {
    const { directory, source, pairs, faults } = await watched();
    await writeFile(join(directory, "ca.crt"), authority.certificate);
    await source.check();
    await writeFile(join(directory, "ca.crt"), "junk");
    await byWriting(directory, second, 1);
    await source.check();
    expect(source.authority()).toBe(authority.certificate);
    expect(pairs).toEqual([first, second]);
    expect(faults).toEqual([expect.stringMatching(/^ca.crt in .*no certificate in PEM/)]);
  });
});

describe("a source that checks at intervals", () => {
  it("checks every ten seconds until it is stopped, and reports nothing afterwards", async () => {
    const directory = await scratch();
    const tasks: [() => void, number][] = [];
    let ended = 0;
    const repeat: Repeat = (task, milliseconds) => {
      tasks.push([task, milliseconds]);
      return () => {
        ended++;
      };
    };
    const source = await filesSource({ directory, now: () => now, repeat });
    expect(tasks).toEqual([[expect.any(Function), 10_000]]);
    const changed = new Promise<KeyPair>((resolve) => source.onChange(resolve));
    await byWriting(directory, first, 0);
    tasks[0]?.[0]();
    await expect(changed).resolves.toEqual(first);

    await byWriting(directory, second, 0);
    const underWay = source.check();
    source.stop();
    await underWay;
    expect(ended).toBe(1);
    expect(source.current()).toEqual(first);
  });

  it("runs one check at a time", async () => {
    const { source } = await watched();
    expect(source.check()).toBe(source.check());
    await source.check();
  });

  it("calls the other listeners if one throws, and reports the error", async () => {
    const directory = await scratch();
    const source = await filesSource({ directory, now: () => now, repeat: never });
    const reported: string[] = [];
    const unsubscribe = source.onChange(() => reported.push("unsubscribed"));
    source.onChange(() => {
      throw new Error("no room");
    });
    source.onChange(() => reported.push("other"));
    source.onFault((fault) => reported.push(fault));
    unsubscribe();
    await byWriting(directory, first, 0);
    await source.check();
    expect(reported).toEqual(["a listener failed to handle the new certificate: no room", "other"]);
  });

  it("does not keep the process alive", async () => {
    const module = new URL("../../certs/files.ts", import.meta.url).href;
    const script = `const { filesSource } = await import(${JSON.stringify(module)});
      const source = await filesSource({ directory: "/nonexistent", now: () => new Date() });
      console.log(source.fault());`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
    expect(stdout).toBe("/nonexistent/tls.crt is missing\n");
  });
});

describe("a server that takes its pairs from a files source", () => {
  it("fails none of a hundred handshakes while pairs are swapped in every way", async () => {
    const { directory, source, faults } = await watched(asKubeletDoes);
    const { server, port } = await serverWith(first);
    onTestFinished(() => void server.close());
    const swapped: string[] = [];
    source.onChange((pair) => {
      server.setSecureContext(toContext(pair));
      swapped.push(serialOf(pair));
    });
    const handshakes = Array.from({ length: 100 }, () => handshake(port, authority.certificate, "localhost"));
    const together = Promise.all(handshakes);
    // Kubelet's links first: the other ways put files in their place.
    for (const [, put] of ways.toReversed()) {
      for (const [index, pair] of [second, first].entries()) {
        await put(directory, pair, index + 1);
        await source.check();
      }
    }
    const known = [serialOf(first), serialOf(second)];
    for (const serial of await together) expect(known).toContain(serial);
    expect(swapped).toEqual(ways.flatMap(() => [serialOf(second), serialOf(first)]));
    expect(faults).toEqual([]);
  });

  it("presents the new certificate to the next client after a swap", async () => {
    const { directory, source } = await watched();
    const { server, port } = await serverWith(first);
    onTestFinished(() => void server.close());
    source.onChange((pair) => server.setSecureContext(toContext(pair)));
    await expect(handshake(port, authority.certificate, "localhost")).resolves.toBe(serialOf(first));
    await byWriting(directory, second, 1);
    await source.check();
    await expect(handshake(port, authority.certificate, "localhost")).resolves.toBe(serialOf(second));
  });
});
