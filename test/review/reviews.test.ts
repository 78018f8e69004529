import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parseJson } from "../../src/json/exact.ts";
import { get, isObject, type Json, type JsonObject, set } from "../../src/json/json.ts";
import { type RunningService, startService } from "../support/service.ts";

// Every review in a kind's folder and in test/review/reviews is sent over HTTPS, and the whole answer compared with the file
// beside it. RECORD=1 writes the answers that are missing; look at them before they are committed. Those in `recorded`
// came from a kube-apiserver v1.36.3 (`serve --record` under the suites in test/cluster).
const requests = globSync(["webhooks/*/*/reviews/*/*.json", "test/review/reviews/{,recorded/}*/*.json"])
  .filter((file) => !file.endsWith(".answer.json"))
  .sort();

let service: RunningService;
let strict: RunningService;
beforeAll(async () => {
  const env = { NODE_OPTIONS: "--disallow-code-generation-from-strings" };
  [service, strict] = await Promise.all([startService(), startService([], env)]);
});
afterAll(() => Promise.all([service, strict].map((each) => each.stop())));

it("there are reviews of every road", () => {
  const roads = new Set(requests.map((file) => path.basename(path.dirname(file))));
  expect([...roads].sort()).toEqual(["convert", "mutate", "validate"]);
});

it.each(requests)("%s is answered as recorded", async (file) => {
  const road = path.basename(path.dirname(file));
  const { status, body } = await service.post(`/${road}?timeout=10s`, readFileSync(file));
  expect(status).toBe(200);
  const answer = readable(parseJson(body));
  const answerFile = file.replace(/\.json$/, ".answer.json");
  if (process.env.RECORD === "1" && !existsSync(answerFile)) {
    writeFileSync(answerFile, `${JSON.stringify(answer, null, 2)}\n`);
  }
  expect(answer).toEqual(parseJson(readFileSync(answerFile, "utf8")));
  const other = await strict.post(`/${road}?timeout=10s`, readFileSync(file));
  expect(readable(parseJson(other.body)), "of a process that generates no code").toEqual(answer);
});

/** The answer with its patch as a list, for people to read: on the wire it is base64. */
function readable(answer: Json): Json {
  const response = get(answer, "response");
  const patch = get(response, "patch");
  if (!isObject(answer) || typeof patch !== "string") return answer;
  // An injector writes down when it was; that is another time in every run.
  const text = Buffer.from(patch, "base64").toString().replaceAll(whenInjected, "$1(now)");
  const operations = parseJson(text);
  return set(answer, "response", set(response as JsonObject, "patch", operations));
}

const whenInjected = /(\\"updateTimestamp\\":\\")[^"\\]+/g;
