import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { play, writePage } from "../../src/cli/play/run.ts";
import { antechamber } from "../support/cli.ts";
import { folderOf } from "../support/folder.ts";

// The page itself is tested in a browser (test/play/browser/command.test.ts).

const page = `<meta content="default-src 'none'"><body>\n<script type="application/json" id="examples">[]</script>`;
const files = {
  "page.html": page,
  "webhooks/pot/kind.ts":
    'export default { group: "g.example.org", kind: "Pot", versions: [version("v1beta1"), version("v1")] };',
  "webhooks/pot/v1beta1.yaml": "name: v1beta1\n",
  "webhooks/pot/v1.yaml": "name: v1\n",
  "webhooks/pot/examples/one.yaml":
    "apiVersion: g.example.org/v1\nkind: Pot\nmetadata: { name: </script><b> }\n",
};

async function served() {
  const folder = await folderOf(files);
  const notes: string[] = [];
  const io = { folder, print: () => {}, note: (line: string) => void notes.push(line) };
  const running = await play({ webhooks: ["webhooks"], port: 0, built: join(folder, "page.html") }, io);
  onTestFinished(running.stop);
  return { ...running, folder, notes, io };
}

function asked(url: string, options: { method?: string; host?: string } = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number;
    body: string;
    policy: unknown;
  }>();
  const headers = options.host === undefined ? {} : { host: options.host };
  request(url, { method: options.method ?? "GET", headers }, async (response) =>
    resolve({
      status: response.statusCode ?? 0,
      body: await text(response),
      policy: response.headers["content-security-policy"],
    }),
  )
    .once("error", reject)
    .end();
  return promise;
}

it("serves the page with the kinds of a project, each with an example, and nothing in them ends the page's own script", async () => {
  const { url } = await served();
  const { status, body, policy } = await asked(url);
  expect(status).toBe(200);
  expect(policy).toBe("frame-ancestors 'none'");
  expect(body).toContain("default-src 'none'; connect-src 'self'");
  const [, json = ""] = /id="examples">(.*?)<\/script>/s.exec(body) ?? [];
  const [example] = JSON.parse(json);
  expect(example).toMatchObject({
    id: "webhooks/pot",
    title: "Pot",
    at: "v1",
    text: files["webhooks/pot/examples/one.yaml"],
  });
  expect(Object.keys(example.files)).toEqual(["kind.ts", "v1beta1.yaml", "v1.yaml"]);
});

it("answers this machine alone, for its own two paths", async () => {
  const { url } = await served();
  expect(await asked(url, { host: "evil.example.org" })).toMatchObject({ status: 421 });
  expect(await asked(url, { method: "POST" })).toMatchObject({ status: 405 });
  for (const path of ["page.html", "../package.json", "webhooks/pot/kind.ts"])
    expect(await asked(url + path)).toMatchObject({ status: 404 });
  expect(await asked(url, { host: `localhost:${new URL(url).port}` })).toMatchObject({ status: 200 });
});

it("sends a change on save to the pages that are open", async () => {
  const { url, folder, notes } = await served();
  const response = await fetch(`${url}events`);
  const events = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  writeFileSync(join(folder, "webhooks/pot/v1.yaml"), "name: v1\nserved: true\n");
  const event = await events?.read();
  expect(event?.value).toMatch(/^data: \[.*served: true.*\]\n\n$/);
  await events?.cancel();
  expect(notes.join("\n")).toContain("webhooks/pot/v1.yaml changed");
});

it("writes the page into a file, which asks nothing of anyone", async () => {
  const { folder, io, notes } = await served();
  await writePage({ webhooks: ["webhooks"], page: "out.html", built: join(folder, "page.html") }, io);
  const written = readFileSync(join(folder, "out.html"), "utf8");
  expect(written).toContain('"id":"webhooks/pot"');
  expect(written).not.toContain("connect-src");
  expect(notes.at(-1)).toBe("out.html is written: open it in a browser");
});

it("a port that is taken, and a folder without kinds, are said before anything is served", async () => {
  const { url, folder, io } = await served();
  const port = Number(new URL(url).port);
  const built = join(folder, "page.html");
  await expect(play({ webhooks: ["webhooks"], port, built }, io)).rejects.toThrow(
    `port ${port} cannot be used`,
  );
  await expect(play({ webhooks: ["empty"], port: 0, built }, io)).rejects.toThrow("does not exist");
});

it("says what it does", async () => {
  const { stdout } = await antechamber(["play", "--help"]);
  expect(stdout).toContain("Nothing leaves this machine");
});
