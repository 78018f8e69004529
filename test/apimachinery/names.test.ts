import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  faultsOfDNS1035Label,
  faultsOfDNS1123Label,
  faultsOfDNS1123Subdomain,
  faultsOfLabelValue,
  faultsOfQualifiedName,
  isDNS1123Label,
  isDNS1123Subdomain,
  isLabelValue,
  isQualifiedName,
} from "../../src/apimachinery/names.ts";

const long = "a".repeat(64);

describe("names follow apimachinery", () => {
  it("a part of a subdomain may be longer than a label", () => {
    expect(isDNS1123Subdomain(`${long}.example.org`)).toBe(true);
    expect(faultsOfDNS1123Subdomain(`${long}.example.org`)).toEqual([]);
    expect(isDNS1123Label(long)).toBe(false);
  });

  it.each(["", "-a", "a-", "A", "a\n", "a.b"])("%j is not a label", (text) => {
    expect(isDNS1123Label(text)).toBe(false);
    expect(faultsOfDNS1123Label(text)).not.toEqual([]);
  });

  it("a DNS-1035 label begins with a letter", () => {
    expect(faultsOfDNS1035Label("a1")).toEqual([]);
    expect(faultsOfDNS1035Label("1a")).not.toEqual([]);
  });

  it("a length is counted in bytes, and called so by newer releases alone", () => {
    expect(faultsOfLabelValue(long)).toEqual(["must be no more than 63 bytes"]);
    expect(faultsOfLabelValue(long, "v0.32")).toEqual(["must be no more than 63 characters"]);
    expect(faultsOfQualifiedName(long)).toEqual(["name part must be no more than 63 bytes"]);
  });

  it("a name with two slashes is called by the release's word for it", () => {
    expect(faultsOfQualifiedName("a/b/c")[0]).toMatch(/^a valid label key /);
    expect(faultsOfQualifiedName("a/b/c", "v0.32")[0]).toMatch(/^a qualified name /);
  });

  it("a key or value is valid where no fault is found", () => {
    const part = fc.string({ unit: fc.constantFrom("a", "B", "1", "-", ".", "_", "ä"), maxLength: 4 });
    const text = fc
      .array(fc.oneof(part, fc.constant(long.slice(1)), fc.constant(long)), { minLength: 1, maxLength: 3 })
      .map((parts) => parts.join("/"));
    fc.assert(
      fc.property(text, (each) => {
        expect(isQualifiedName(each)).toBe(faultsOfQualifiedName(each).length === 0);
        expect(isLabelValue(each)).toBe(faultsOfLabelValue(each).length === 0);
      }),
      { numRuns: 1000 },
    );
  });

  // In quadratic time it would take hours.
  it("a subdomain of many parts is read, however long it is", () => {
    expect(faultsOfDNS1123Subdomain(`${"a-".repeat(2_000_000)}!`)).not.toEqual([]);
    expect(faultsOfQualifiedName(`${"a.".repeat(2_000_000)}/b`)).not.toEqual([]);
  });
});
