import { defineKind, group, lens, version } from "antechamber";

/** A field that was split into two, and two that were merged into one. No row says so: `shared` and `spread` are missing. */
const names = lens(
  group({
    older: { fullName: "spec.fullName" },
    newer: { first: "spec.name.first", last: "spec.name.last" },
    up: ({ fullName }) => {
      const [, first, last] = (typeof fullName === "string" && /^(\S+) (.+)$/su.exec(fullName)) || [];
      return { first, last };
    },
    down: ({ first, last }) => ({
      fullName: typeof first === "string" && typeof last === "string" ? `${first} ${last}` : undefined,
    }),
    lossy: "the first space ends the first name",
  }),
  group({
    older: { street: "spec.street", city: "spec.city" },
    newer: { address: "spec.address" },
    up: ({ street, city }) => ({
      address: typeof street === "string" && typeof city === "string" ? `${street} ${city}` : street,
    }),
    down: ({ address }) => {
      const [, street, city] = (typeof address === "string" && /^(\S+)(?: (.+))?$/su.exec(address)) || [];
      return { street, city };
    },
    lossy: "the first space ends the street",
  }),
);

export default defineKind({
  group: "office.example.org",
  kind: "Person",
  plural: "people",
  scope: "Namespaced",
  versions: [version("v1beta1", names), version("v1")],
});
