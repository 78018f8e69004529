import { expect, it } from "vitest";
import { eventOf, eventOfFailure } from "../../certs/rotation-events.ts";
import type { Round } from "../../certs/rotator.ts";

it.each<[string, Round, string | undefined]>([
  ["a new CA", { step: "publish", phase: "stable", notes: [] }, "Normal CARotationStarted"],
  ["bundles of a new CA", { step: "write bundles", phase: "publish", notes: [], targets: ["a"] }, undefined],
  ["a switch", { step: "switch", phase: "publish", notes: [] }, "Normal CASwitched"],
  ["a retired CA, which bundles still hold", { step: "retire", phase: "switch", notes: [] }, undefined],
  ["the end", { step: "settle", phase: "retire", notes: [] }, "Normal CARotationCompleted"],
  ["a renewal", { step: "renew leaf", phase: "stable", notes: [] }, "Normal CertificateRenewed"],
  [
    "a bundle that another client changed",
    { step: "write bundles", phase: "stable", notes: [], targets: ["CustomResourceDefinition a", "b"] },
    "Normal CABundleRestored: the caBundle was set in CustomResourceDefinition a, b",
  ],
  [
    "a bundle that cannot be written",
    { step: "write bundles", phase: "publish", notes: ["a is forbidden", "b too"], targets: ["a", "b"] },
    "Warning CertificateRotationFailed: a is forbidden; b too",
  ],
  [
    "a wait with a fault",
    { step: "wait", phase: "publish", notes: ["the caBundle of a", "a is forbidden"] },
    "Warning CertificateRotationFailed: a is forbidden",
  ],
  ["a wait", { step: "wait", phase: "stable", notes: ["the CA is not due"] }, undefined],
  [
    "a step of another replica",
    { step: "switch", phase: "publish", isLate: true, notes: ["another replica was faster"] },
    undefined,
  ],
])("the event of %s", (_what, round, expected) => {
  const event = eventOf(round);
  const text = event === undefined ? undefined : `${event.type} ${event.reason}: ${event.message}`;
  if (expected === undefined) expect(text).toBeUndefined();
  else expect(text).toContain(expected);
});

it("the event of a round that broke off has its reason", () => {
  expect(eventOfFailure("no answer")).toMatchObject({ type: "Warning", message: "no answer" });
});
