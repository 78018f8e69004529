import { defineKind, each, group, lens, version } from "antechamber";

/** The words of a full name: the first space ends the first name. */
function split({ full }: { readonly full?: unknown }) {
  if (typeof full !== "string") return {};
  const space = full.indexOf(" ");
  return space < 0 ? { first: full } : { first: full.slice(0, space), last: full.slice(space + 1) };
}

/** A last name alone is no full name. */
function join({ first, last }: { readonly first?: unknown; readonly last?: unknown }) {
  if (typeof first !== "string") return {};
  return { full: typeof last === "string" ? `${first} ${last}` : first };
}

const lossy = "the first space ends the first name";

/** Names in several places of one object: a write to one of them must leave all others as they are. */
const names = lens(
  group({
    older: { full: "spec.owner" },
    newer: { first: "spec.owner.first", last: "spec.owner.last" },
    up: split,
    down: join,
    lossy,
  }),
  // The fields of one name have different parents.
  group({
    older: { full: "spec.tenant" },
    newer: { first: "spec.tenant.first", last: "spec.families.tenant" },
    up: split,
    down: join,
    lossy,
  }),
  each(
    "spec.people",
    "spec.people",
    group({
      older: { full: "fullName" },
      newer: { first: "first", last: "last" },
      up: split,
      down: join,
      lossy,
    }),
  ),
  each(
    "spec.guests",
    "spec.guests",
    group({
      older: { full: "fullName" },
      newer: { first: "first", last: "last" },
      up: split,
      down: join,
      lossy,
    }),
  ),
);

export default defineKind({
  group: "office.example.org",
  kind: "Directory",
  plural: "directories",
  scope: "Namespaced",
  versions: [version("v1beta1", names), version("v1")],
});
