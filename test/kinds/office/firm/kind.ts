import { defineKind, group, lens, version } from "antechamber";

/** The first of several: a firm that has a number is shown by it, and its name is for the newer version alone. */
const firsts = lens(
  group({
    older: { name: "spec.registeredName", number: "spec.registeredNumber" },
    newer: { name: "spec.registered.name", number: "spec.registered.number" },
    up: ({ name, number }) => (number === undefined ? { name } : { number }),
    down: ({ name, number }) => (number === undefined ? { name } : { number }),
    lossy: { name: "a firm that has a number has no name", number: "one of the two is enough" },
  }),
);

export default defineKind({
  group: "office.example.org",
  kind: "Firm",
  plural: "firms",
  scope: "Namespaced",
  versions: [version("v1beta1", firsts), version("v1")],
});
