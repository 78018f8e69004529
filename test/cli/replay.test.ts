import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { get, isArray, type JsonObject, set } from "../../src/json/json.ts";
import { antechamber } from "../support/cli.ts";

const room = "webhooks/home/room/reviews/mutate/default-transition";

describe("replay", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "antechamber-replay-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("answers all reviews of this repository as recorded", async () => {
    const { code, stdout } = await antechamber(["replay", "webhooks", "test/review/reviews"]);
    expect(stdout).toMatch(/^\d{3} reviews answered: 0 differ\n$/);
    expect(code).toBe(0);
  }, 30_000);

  it("exits with 1 where a patch has another effect, and names the field", async () => {
    const recordings = await altered("effect", (patch) => patch.map((each) => set(each, "value", "400ms")));
    const { code, stdout, stderr } = await antechamber(["replay", recordings]);
    expect(code).toBe(1);
    expect(stdout).toContain('object.spec.lights[0].transition: "400ms" is now "300ms"');
    expect(stderr).toContain("1 of 1 answers differ");
  });

  it("says where a patch has the same effect in other words, which is no difference", async () => {
    const recordings = await altered("words", (patch) => [...patch, ...patch]);
    const { code, stdout } = await antechamber(["replay", recordings]);
    expect(stdout).toContain("the same effect in other words");
    expect(code).toBe(0);
  });

  it("exits with 1 where a denial became an admission", async () => {
    const review = "webhooks/home/room/reviews/validate/light-of-another-room";
    const recordings = await copied("denial", review, "validate", (answer) =>
      set(answer, "response", { uid: get(answer, "response", "uid") ?? "", allowed: true }),
    );
    const { code, stdout } = await antechamber(["replay", recordings, "-o", "github"]);
    expect(code).toBe(1);
    expect(stdout).toContain("::error file=");
    expect(stdout).toContain("response.allowed: true is now false");
  });

  it("ignores times that come from the clock, but not those of the review", async () => {
    const review = "webhooks/home/lock/reviews/convert/to-v1";
    const recordings = await copied("times", review, "convert", (answer) => {
      const text = JSON.stringify(answer).replaceAll("2026-03-01T06:45:00Z", "2026-03-02T06:45:00Z");
      return JSON.parse(text) as JsonObject;
    });
    const { code, stdout } = await antechamber(["replay", recordings]);
    expect(stdout).toContain('lastChangeTime: "(now)" is now "2026-03-01T06:45:00Z"');
    expect(code).toBe(1);
  });

  it.each([
    ["a folder that does not exist", "absent", "no such folder"],
    ["a folder without recordings", "docs", "no recording found"],
  ])("exits with 2 for %s", async (_what, given, sentence) => {
    const { code, stderr } = await antechamber(["replay", given]);
    expect(code).toBe(2);
    expect(stderr).toContain(sentence);
  });

  it("exits with 2 where an answer is missing", async () => {
    const recordings = path.join(folder, "lone");
    await mkdir(path.join(recordings, "mutate"), { recursive: true });
    await cp(`${room}.json`, path.join(recordings, "mutate", "one.json"));
    const { code, stderr } = await antechamber(["replay", recordings]);
    expect(code).toBe(2);
    expect(stderr).toContain("one.answer.json: no such file or folder");
  });

  function altered(name: string, change: (patch: readonly JsonObject[]) => readonly JsonObject[]) {
    return copied(name, room, "mutate", (answer) => {
      const patch = get(answer, "response", "patch");
      const operations = (isArray(patch) ? patch : []) as readonly JsonObject[];
      const response = get(answer, "response") as JsonObject;
      return set(answer, "response", set(response, "patch", change(operations)));
    });
  }

  /** A folder with one recording, its answer changed. */
  async function copied(
    name: string,
    review: string,
    webhook: string,
    change: (answer: JsonObject) => JsonObject,
  ): Promise<string> {
    const target = path.join(folder, name, webhook);
    await mkdir(target, { recursive: true });
    await cp(`${review}.json`, path.join(target, "one.json"));
    const answer = JSON.parse(await readFile(`${review}.answer.json`, "utf8")) as JsonObject;
    await writeFile(path.join(target, "one.answer.json"), JSON.stringify(change(answer)));
    return path.join(folder, name);
  }
});
