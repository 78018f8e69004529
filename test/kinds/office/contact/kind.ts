import { defineKind, group, isArray, lens, version } from "antechamber";

/** The first of many: one phone became a list. No row says that the items share it. */
const phones = lens(
  group({
    older: { phone: "spec.phone" },
    newer: { phones: "spec.phones" },
    up: ({ phone }) => ({ phones: phone === undefined ? undefined : [phone] }),
    down: ({ phones }) => ({ phone: isArray(phones) ? phones[0] : undefined }),
    lossy: { phones: "one phone stands for the first" },
  }),
);

export default defineKind({
  group: "office.example.org",
  kind: "Contact",
  plural: "contacts",
  scope: "Namespaced",
  versions: [version("v1beta1", phones), version("v1")],
});
