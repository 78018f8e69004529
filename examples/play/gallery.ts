import { readFileSync } from "node:fs";
import path from "node:path";
import { type KindNames, kindText } from "../../src/draft/kind-text.ts";
import { filesOfKind } from "../../src/play/page-file.ts";
import type { Example } from "../../src/play/state.ts";

// The gallery of the page in which versions are seen side by side.

/** A kind of the gallery, by its folder, with the object to begin with and what to look at. */
interface Entry extends Omit<Example, "files" | "text"> {
  readonly folder: string;
  readonly object: string;
  /** In place of the definition in the folder: the names of the kind, and its versions. */
  readonly definition?: readonly [names: KindNames, versions: readonly string[]];
}

const entries: readonly Entry[] = [
  {
    id: "room",
    title: "Room",
    about:
      "v1beta1 has one brightness for all lights, v1 one for each. Change the floor at v1beta1: what only v1 says comes back.",
    folder: "webhooks/home/room",
    at: "v1",
    object: "webhooks/home/room/examples/v1/kitchen.yaml",
  },
  {
    id: "light",
    title: "Light",
    about:
      "Write level: 80 at v1beta1, then 81: v1 keeps its exact brightness only while v1beta1 means the same.",
    folder: "webhooks/home/light",
    at: "v1",
    object: "webhooks/home/light/examples/v1/living-room-floor.yaml",
  },
  {
    id: "person",
    title: "A full name, as in the textbook",
    about:
      "One field became two. Change the room at v1beta1: the first name is still Ida May. Change the full name: the lens guesses.",
    folder: "examples/play/person",
    at: "v1",
    object: "examples/play/person/examples/ida.yaml",
  },
  {
    id: "statefulset",
    title: "OpenKruise's StatefulSet",
    about:
      "v1alpha1 lacks fields of v1beta1. Change replicas at v1alpha1, and they come back. Switch to without carriers: that is what OpenKruise's own webhook loses.",
    folder: "webhooks/kruise/statefulset",
    // Its webhooks for admission are as large as all the other examples.
    definition: [
      {
        group: "apps.kruise.io",
        kind: "StatefulSet",
        plural: "statefulsets",
        scope: "Namespaced",
        categories: [],
        shortNames: [],
      },
      ["v1alpha1", "v1beta1"],
    ],
    at: "v1beta1",
    object: "webhooks/kruise/statefulset/examples/v1beta1/database.yaml",
  },
  {
    id: "pipeline",
    title: "A list without keys",
    about: "Insert a step at v1alpha1, or move one: each cache and retry stays with its step.",
    folder: "examples/play/pipeline",
    at: "v1",
    object: "examples/play/pipeline/examples/release.yaml",
  },
];

const root = path.resolve(import.meta.dirname, "../..");

/** The examples of the gallery, in order. */
export function gallery(): readonly Example[] {
  return entries.map(({ folder, object, definition, ...entry }) => ({
    ...entry,
    text: readFileSync(path.join(root, object), "utf8"),
    files: filesOfKind(path.join(root, folder), definition && kindText(...definition)),
  }));
}
