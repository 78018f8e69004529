import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { writeJson } from "../../src/json/exact.ts";
import type { Json, JsonObject } from "../../src/json/json.ts";
import type { Kinds } from "../../src/kind/kind.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import type { ConversionReport } from "../../src/review/answer.ts";
import { answerConversion } from "../../src/review/conversion.ts";
import { KeptAnswers } from "../../src/server/kept-answers.ts";
import { call, startTestServer } from "./test-server.ts";

let kinds: Kinds;
beforeAll(async () => {
  kinds = await loadKinds(["webhooks"]);
});

const uidOf = (number: number) => `4b3a0c1e-0000-4000-8000-${String(number).padStart(12, "0")}`;

/** As an API server writes it. */
function review(uid: string, name: string, desired = "v1beta1", version = "v1"): string {
  const object: JsonObject = {
    apiVersion: `home.antechamber.dev/${version}`,
    kind: "Room",
    metadata: { name, uid: "u-1", generation: 3 },
    spec: { lights: version === "v1" ? [{ name: "é€", brightness: 0.3 }] : ["é€"] },
  };
  return writeJson({
    kind: "ConversionReview",
    apiVersion: "apiextensions.k8s.io/v1",
    request: { uid, desiredAPIVersion: `home.antechamber.dev/${desired}`, objects: [object] },
    response: { uid: "", convertedObjects: null, result: { metadata: {} } },
  });
}

/** A service with kept answers, and how many reviews its handler has answered. */
async function startKeeping(kept: KeptAnswers | undefined) {
  let answered = 0;
  const convert = (asked: Json) => {
    answered += 1;
    return answerConversion(asked, kinds);
  };
  const server = await startTestServer({ handlers: { convert, mutate: convert, validate: convert }, kept });
  return { server, answered: () => answered };
}

it("a review that was asked before is answered with the same bytes but its uid, and not converted again", async () => {
  const [keeping, plain] = [
    await startKeeping(new KeptAnswers(100_000, () => 0)),
    await startKeeping(undefined),
  ];
  for (let number = 0; number < 12; number++) {
    const body = review(uidOf(number), `room-${number % 3}`, number % 2 === 0 ? "v1beta1" : "v1");
    const [one, other] = [await call(keeping.server, { body }), await call(plain.server, { body })];
    expect(one.text).toBe(other.text);
    expect(one.headers).toEqual({ ...other.headers, date: one.headers.date });
    expect(JSON.parse(one.text).response.uid).toBe(uidOf(number));
  }
  expect([keeping.answered(), plain.answered()]).toEqual([6, 12]);
});

it("after a kind has changed no answer of before is given", async () => {
  let generation = 0;
  const { server, answered } = await startKeeping(new KeptAnswers(100_000, () => generation));
  const ask = () => call(server, { body: review(uidOf(answered()), "room") });
  await ask();
  await ask();
  expect(answered()).toBe(1);
  generation = 1;
  await ask();
  expect(answered()).toBe(2);
});

it("an answer that was made before a kind changed is not kept", () => {
  let generation = 0;
  const kept = new KeptAnswers(100_000, () => generation);
  const body = (number: number) => Buffer.from(review(uidOf(number), "room"));
  const before = kept.keyOf(body(1));
  generation = 1;
  if (before !== undefined) kept.keep(before, answer(uidOf(1), 1), report(uidOf(1)));
  const after = kept.keyOf(body(2));
  expect(before).toBeDefined();
  expect(after && kept.find(after)).toBeUndefined();
});

it("a failure, a body that no API server writes, and an uid that is none are not kept", async () => {
  const { server, answered } = await startKeeping(new KeptAnswers(100_000, () => 0));
  const bodies = [
    review(uidOf(1), "room", "v9"),
    ` ${review(uidOf(1), "room")}`,
    review("4b3a0c1e-0000-4000-8000-00000000000é", "room"),
    review('4b3a0c1e-0000-4000-8000-0000000000"', "room"),
  ];
  for (const body of bodies) for (let time = 0; time < 2; time++) await call(server, { body });
  expect(answered()).toBe(2 * bodies.length);
});

const report = (uid: string): ConversionReport => ({
  review: "conversion",
  uid,
  kind: "Room.home.antechamber.dev",
  from: "v1",
  to: "v1beta1",
  objects: 1,
  outcome: "success",
});

function answer(uid: string, length: number): string {
  return `{"response":{"uid":"${uid}"},"text":"${"é".repeat(length)}"}`;
}

it("however answers come and go in little memory, each that is found is the one that was kept last", () => {
  const draws = fc.array(fc.tuple(fc.nat(9), fc.boolean()), { minLength: 50, maxLength: 200 });
  let found = 0;
  fc.assert(
    fc.property(draws, (steps) => {
      const kept = new KeptAnswers(700, () => 0);
      for (const [at, [name, isAsked]] of steps.entries()) {
        const key = kept.keyOf(Buffer.from(review(uidOf(at), `room-${name}`)));
        if (key === undefined) throw new Error("an API server writes such a body");
        const got = kept.find(key);
        const expected = answer(uidOf(at), name * 20);
        if (got !== undefined) {
          found += 1;
          expect(got.text.toString()).toBe(expected);
          expect(got.report.uid).toBe(uidOf(at));
        } else if (!isAsked) kept.keep(key, expected, report(uidOf(at)));
      }
    }),
    { numRuns: 50 },
  );
  expect(found).toBeGreaterThan(500);
});
