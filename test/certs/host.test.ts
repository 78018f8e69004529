import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkHost, toHost } from "../../certs/host.ts";

describe("a host", () => {
  it.each([
    ["localhost", { type: "dns", name: "localhost" }],
    ["Webhook.Default.SVC", { type: "dns", name: "webhook.default.svc" }],
    ["*.default.svc", { type: "dns", name: "*.default.svc" }],
    ["1password.com", { type: "dns", name: "1password.com" }],
    ["127.0.0.1", { type: "ip", ip: "127.0.0.1" }],
    ["::1", { type: "ip", ip: "::1" }],
    ["2001:DB8:0:0::1", { type: "ip", ip: "2001:db8::1" }],
    ["::ffff:1.2.3.4", { type: "ip", ip: "::ffff:102:304" }],
  ])("%s is one that a certificate can bear", (host, meant) => {
    expect(checkHost(host)).toBeUndefined();
    expect(toHost(host)).toEqual(meant);
  });

  it.each([
    ["", /neither a DNS name nor an IP address/],
    ["*", /neither/],
    ["*.svc", /neither/],
    ["a..b", /neither/],
    ["a.b.", /neither/],
    ["-a.b", /neither/],
    ["a_b.c", /neither/],
    ["münchen.example", /neither/],
    ["a b", /neither/],
    ["a\0.b", /neither/],
    ["256.1.1.1", /neither/],
    ["1.2.3", /neither/],
    [`${"a".repeat(64)}.b`, /neither/],
    [`${"a.".repeat(127)}ab`, /neither/],
    ["localhost:9443", /has a port/],
    ["[::1]", /in brackets/],
    ["https://localhost", /is a URL/],
    ["10.0.0.0/8", /is a URL/],
    ["fe80::1%eth0", /has a zone/],
  ])("%j is refused with a sentence", (host, sentence) => {
    expect(checkHost(host)).toMatch(sentence);
    expect(() => toHost(host)).toThrow(sentence);
  });

  it("is checked without an exception, whatever the text, with the same result by both functions", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webAuthority(), fc.ipV6()), (host) => {
        const fault = checkHost(host);
        if (fault === undefined) toHost(host);
        else expect(() => toHost(host)).toThrow(fault);
      }),
    );
  });
});
