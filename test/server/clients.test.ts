import { writeFile } from "node:fs/promises";
import { request } from "node:https";
import path from "node:path";
import { connect } from "node:tls";
import { expect, it } from "vitest";
import { createAuthority } from "../../certs/authority.ts";
import { clientAuthorities } from "../../certs/clients.ts";
import type { KeyPair } from "../../certs/keypair.ts";
import { folderOf } from "../support/folder.ts";
import { ask, call, type Reply, sentenceOf, startTestServer, type TestServer } from "./test-server.ts";

const now = new Date();
const authorities = Promise.all(
  ["one", "other"].map((commonName) => createAuthority({ commonName, now, days: 3 })),
);

async function guarded() {
  const [one, other] = await authorities;
  if (one === undefined || other === undefined) throw new Error("no authorities");
  const folder = await folderOf({ "clients.crt": one.certificate });
  const file = path.join(folder, "clients.crt");
  const clients = await clientAuthorities({ file, repeat: () => () => {} });
  const server = await startTestServer({ clients });
  const issue = (issuer: typeof one) => issuer.issue({ hosts: ["client"], now, days: 1, owner: "client" });
  return { server, file, clients, one, other, good: await issue(one), bad: await issue(other) };
}

/** A call with a client's certificate, on a connection of its own. */
function callAs({ service, certificates }: TestServer, pair: KeyPair): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const options = {
      host: "127.0.0.1",
      port: service.port,
      path: "/mutate",
      method: "POST",
      agent: false as const,
      ca: certificates.authority() ?? "",
      cert: pair.certificate,
      key: pair.key,
    };
    const outgoing = request(options, (response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    outgoing.on("error", reject);
    outgoing.end("{}");
  });
}

it("a client whose certificate is signed by the authority is served", async () => {
  const { server, good } = await guarded();
  expect((await callAs(server, good)).status).toBe(200);
});

it("a client without a certificate, or with one of another authority, is rejected with the reason", async () => {
  const { server, bad } = await guarded();
  const unidentified = await call(server, { path: "/validate" });
  expect(sentenceOf(unidentified, 401)).toContain("none was shown");
  expect(unidentified.headers.connection).toBe("close");
  expect(sentenceOf(await callAs(server, bad), 403)).toContain(
    "not signed by an authority that is trusted here",
  );
  expect(server.log.some(({ msg }) => msg === "review answered")).toBe(false);
});

it("a server certificate is not accepted as a client certificate", async () => {
  const { server, one } = await guarded();
  const pair = await one.issue({ hosts: ["server"], now, days: 1 });
  expect((await callAs(server, pair)).status).toBe(403);
});

it("conversion needs no certificate, since an API server shows none for it", async () => {
  const { server } = await guarded();
  expect((await call(server, { path: "/convert?timeout=30s" })).status).toBe(200);
  expect((await call(server, { path: "/convertible" })).status).toBe(401);
});

it("health and metrics need no certificate", async () => {
  const { server } = await guarded();
  expect((await ask(server, "/livez")).status).toBe(200);
});

it.each(["TLSv1.2", "TLSv1.3"] as const)(
  "a resumed session of %s that began without a certificate is rejected",
  async (version) => {
    const { server } = await guarded();
    const common = {
      host: "127.0.0.1",
      port: server.service.port,
      ca: server.certificates.authority() ?? "",
      minVersion: version,
      maxVersion: version,
    };
    const head = "POST /mutate HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}";
    const session = await new Promise<Buffer>((resolve) => {
      const first = connect(common, () => first.write(head));
      first.on("session", resolve).resume();
    });
    const text = await new Promise<string>((resolve, reject) => {
      let came = "";
      let reused = false;
      const again = connect({ ...common, session }, () => {
        reused = again.isSessionReused();
        again.write(head);
      });
      again.on("data", (chunk) => {
        came += chunk;
      });
      again.on("close", () => resolve(`${reused} ${came}`)).on("error", reject);
    });
    expect(text).toMatch(/^true HTTP\/1.1 401 /);
  },
);

it("a new authority in the file is trusted, and the old one no longer; half a file changes nothing", async () => {
  const { server, file, clients, other, good, bad } = await guarded();
  const faults: string[] = [];
  clients.onFault((fault) => faults.push(fault));
  await writeFile(file, other.certificate.slice(0, 300));
  await clients.check();
  await clients.check();
  expect(faults).toEqual([expect.stringContaining(file)]);
  expect((await callAs(server, good)).status).toBe(200);
  await writeFile(file, other.certificate);
  await clients.check();
  expect((await callAs(server, bad)).status).toBe(200);
  expect((await callAs(server, good)).status).toBe(403);
});

it("a file that is not a certificate is an error at the start", async () => {
  const folder = await folderOf({ "clients.crt": "hello" });
  await expect(clientAuthorities({ file: path.join(folder, "clients.crt") })).rejects.toThrow("clients.crt");
  await expect(clientAuthorities({ file: path.join(folder, "none.crt") })).rejects.toThrow(
    "none.crt is missing",
  );
});
