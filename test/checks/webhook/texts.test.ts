import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../src/json/json.ts";
import { changing, checked, crdOf, faultsIn, same } from "./kinds.ts";

// A conversion that does something to texts. It shows only with texts that are long and have upper case.

const change = (text: (value: string) => string) => {
  const visit = (value: Json): Json => {
    if (typeof value === "string") return text(value);
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, visit(inner)]));
  };
  return changing((spec) => visit(spec) as JsonObject);
};

const upTo = (length: number) => change((text) => text.slice(0, length));

const places: Readonly<Record<string, string>> = {
  "a text": "{ type: string }",
  "a text in a list": "{ type: array, items: { type: string } }",
  "a text in a map": "{ type: object, additionalProperties: { type: string } }",
  "a text of up to 70 characters": "{ type: string, maxLength: 70 }",
  "a text of letters": "{ type: string, pattern: '^[A-Za-z]+$' }",
  "a URL": "{ type: string, pattern: '^https?://.*$' }",
};

describe.each(Object.entries(places))("%s", (_what, text) => {
  const spec = `text: ${text}`;
  const crd = crdOf({ v1: { spec }, v2: { spec } });

  it.each([
    ["cut to 4 characters", upTo(4)],
    ["cut to 63 characters", upTo(63)],
    ["in lower case", change((each) => each.toLowerCase())],
  ])("that is %s", async (_what, convert) => {
    const [fault] = faultsIn(await checked(crd, convert));
    expect(fault).toMatch(/^(became|lost) spec\.text/);
  });

  it("that stays as it is", async () => {
    const found = await checked(crd, same);
    expect(found.findings).toEqual([]);
  });
});

const spec = "text: { type: string }";
const crd = crdOf({ v1: { spec }, v2: { spec } });

it("a text that is cut to 253 characters is found, and the finding says what is kept", async () => {
  const { findings } = await checked(crd, upTo(253));
  expect(findings.map(({ kind, place }) => `${kind} ${place}`)).toContain("became spec.text");
  expect(findings[0]?.message).toContain('"a" is converted');
});

it("a name of DNS, without upper case, is tried with as many characters as it may have", async () => {
  const name = "name: { type: string, maxLength: 63, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' }";
  const dns = crdOf({ v1: { spec: name }, v2: { spec: name } });
  expect(faultsIn(await checked(dns, upTo(62)))).toEqual(["became spec.name"]);
  expect(faultsIn(await checked(dns, same))).toEqual([]);
});

it("a longer text that the webhook refuses, and the schema does not, is a note", async () => {
  const strict = change((text) => {
    if (text.length > 63) throw new Error("must be no more than 63 characters");
    return text;
  });
  const found = await checked(crd, strict);
  expect(faultsIn(found)).toEqual([]);
  expect(found.findings.map(({ kind, place }) => `${kind} ${place}`)).toContain("looser spec.text");
});

it("no longer text is tried where the webhook reads another text than a plain one", async () => {
  const sent: string[] = [];
  const durations = change((text) => {
    sent.push(text);
    if (!/^\d+m$/.test(text)) throw new Error("invalid duration");
    return text;
  });
  const found = await checked(crd, durations);
  expect(found.findings.map(({ kind, place }) => `${kind} ${place}`)).toContain("looser spec.text");
  expect(sent.filter((text) => text.length > 100)).toEqual([]);
});
