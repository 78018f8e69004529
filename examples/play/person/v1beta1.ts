import { group, lens } from "antechamber";

/** A full name says less than its parts: where the first name ends, one can only guess. */
export const v1beta1 = lens(
  group({
    older: { fullName: "spec.fullName" },
    newer: { first: "spec.name.first", last: "spec.name.last" },
    up: ({ fullName }) => {
      const [, first, last] = (typeof fullName === "string" && /^(\S+) (.+)$/su.exec(fullName)) || [];
      return first === undefined ? { last: fullName } : { first, last };
    },
    down: ({ first, last }) => ({
      fullName: typeof first === "string" && typeof last === "string" ? `${first} ${last}` : last,
    }),
    lossy: "the first space ends the first name",
  }),
);
