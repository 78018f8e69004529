import { describe, expect, it } from "vitest";
import { type Checks, checkKind, type Finding, notes } from "../../src/checks/index.ts";
import { planted } from "../checks/webhook/planted.ts";
import { type Conversion, subject, webhookOf } from "../checks/webhook/webhooks.ts";
import { guarded } from "./guarded.ts";

const checks: Checks = { batch: 100, clock: () => 0, until: 1, seed: 1, runs: 2, ignored: [], examples: [] };

const lineOf = ({ kind, place, check, message = "" }: Finding) =>
  `${kind} ${place || "the whole object"} ${check} ${message}`.trim();

/** What no guard can mend, since it has no other words for the view than the upstream's. */
const left: Readonly<Record<string, readonly string[]>> = {
  // The other version shows the list in another order. After an edit there, that order is all that is known.
  "a list is sorted": [
    "became spec.words[] edit by an edit of spec.words[2] at v1",
    "became spec.words[] edit by an edit of spec.words[2] at v2",
  ],
  // What v1 said stands until a client of v2 replaces it; from then on v1 shows what the upstream makes of it.
  "one field takes another with it": ["became spec.image edit by an edit of spec.image at v2"],
  "a text that does not parse empties the object": ["became spec.image edit by an edit of spec.image at v2"],
  // An upstream whose answers are never the same contradicts itself.
  "answers are numbered": [
    "became spec.timeout round trip",
    "differs spec.size same request twice",
    "lost spec.secret round trip",
  ],
  // Fields that both versions have: they are carried, and shown with --same-fields.
  "a field is forgotten": [
    "hidden spec.size conversion v1 could show it, and the webhook keeps it in an annotation alone",
  ],
  "a list of objects is forgotten": [
    "hidden spec.ports conversion v1 could show it, and the webhook keeps it in an annotation alone",
  ],
};

const mends = planted.filter(({ fault }) => fault !== "the process ends");

describe("behind the guard nothing is found in a webhook with a fault", () => {
  it.each(mends)("$fault", async ({ fault, convert }) => {
    expect(await faultsOf(convert)).toEqual(left[fault] ?? []);
  });

  it.each(mends.filter(({ fault }) => fault.includes("forgotten")))(
    "$fault: nothing with --same-fields",
    async ({ convert }) => expect(await faultsOf(convert, true)).toEqual([]),
  );

  it("the process ends: until it is there again, every conversion fails, and says why", async () => {
    const convert = planted.find(({ fault }) => fault === "the process ends")?.convert;
    const lines = convert === undefined ? [] : await faultsOf(convert);
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.filter((line) => !line.includes("cannot be used: connect ECONNREFUSED"))).toEqual([]);
  });
});

async function faultsOf(convert: Conversion, sameFields = false): Promise<readonly string[]> {
  const { findings } = await checkKind(subject, guarded(webhookOf(convert), { sameFields }).ask, checks);
  return [...new Set(findings.filter(({ kind }) => !notes.has(kind)).map(lineOf))].toSorted();
}
