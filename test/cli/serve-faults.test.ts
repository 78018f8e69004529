import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { antechamber } from "../support/cli.ts";
import { folderOf } from "../support/folder.ts";

let other: Server | undefined;
afterEach(() => {
  other?.close();
  other = undefined;
});

/** A port on which another server listens. */
async function taken(host: string): Promise<number> {
  other = createServer().listen(0, host);
  await once(other, "listening");
  const address = other.address();
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

const serve = (...args: readonly string[]) => antechamber(["serve", "--webhooks", "webhooks/home", ...args]);

describe("serve says before it starts", () => {
  it.each(["::", "0.0.0.0"])(
    "that another process has its port on %s, and which option names it",
    async (host) => {
      const port = await taken(host);
      const { code, stderr } = await serve("--host", host, "--port", String(port), "--ops-port", "0");
      expect(stderr).toContain(
        `port ${port}${host === "::" ? "" : ` of ${host}`} is already in use by another process; end that, or choose another --port\n`,
      );
      expect(code).toBe(2);
    },
  );

  it("that another process has its ops port", async () => {
    const port = await taken("::");
    const { code, stderr } = await serve("--host", "::", "--port", "0", "--ops-port", String(port));
    expect(stderr).toContain("choose another --ops-port\n");
    expect(code).toBe(2);
  });

  it("which files its folder of certificates lacks", async () => {
    const folder = await folderOf({ "other.txt": "" });
    const { code, stderr } = await serve("--cert-dir", folder);
    expect(stderr).toContain("tls.crt is missing; the folder must hold tls.crt and tls.key");
    expect(code).toBe(2);
  });
});
