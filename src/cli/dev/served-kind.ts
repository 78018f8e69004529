import { get, objectAt, set } from "../../json/json.ts";
import type { Example, Kind, Kinds } from "../../kind/kind.ts";
import { crdsOf } from "../../offline/crds.ts";
import { offlineListers } from "../../offline/listers.ts";
import { reviewContextOf } from "../../offline/review-context.ts";
import { answerOf } from "../../offline/write-answer.ts";
import { readGates } from "../gates.ts";
import type { ServedKind } from "./messages.ts";

/** What the service needs besides the kinds to judge an example. */
interface Judging {
  readonly featureGates?: string;
  /** Whether the examples are wanted: to judge them calls code of the kinds. */
  readonly hasExamples: boolean;
  readonly now: () => Date;
  readonly random: () => number;
}

/** The kinds as the hints need them, with the examples that an API server without any object admits. */
export function servedKinds(kinds: Kinds, judging: Judging): readonly ServedKind[] {
  const isAdmitted = judging.hasExamples ? judgeOf(kinds, judging) : () => false;
  return kinds.all.map((kind) => {
    const { name, definition, versions, folder, examples } = kind;
    const namespaces = examples.map(({ object }) => get(object, "metadata", "namespace"));
    const byFile = [...Map.groupBy(examples, ({ file }) => file)];
    return {
      name,
      group: definition.group,
      plural: definition.plural,
      versions: versions.map((version) => version.name),
      served: versions.filter(({ served }) => served).map((version) => version.name),
      folder,
      examples: byFile.flatMap(([file, all]) => (all.every((each) => isAdmitted(kind, each)) ? [file] : [])),
      namespaces: [...new Set(namespaces.filter((each) => typeof each === "string"))],
    };
  });
}

function judgeOf(kinds: Kinds, { featureGates = "", now, random }: Judging) {
  const gates = readGates(featureGates, [...kinds.all, ...kinds.natives]);
  const listers = offlineListers([], kinds, { now, gates });
  const context = { ...reviewContextOf(kinds, listers, gates, { now, random }), mayWait: () => false };
  const crds = crdsOf(kinds.all);
  return ({ name, definition, versions }: Kind, { object, version }: Example): boolean => {
    const crd = crds.get(name);
    if (crd === undefined || versions[version]?.served !== true) return false;
    // kubectl gives an object without a namespace the one of its context.
    const isWithout = definition.scope === "Namespaced" && get(object, "metadata", "namespace") === undefined;
    const sent = isWithout
      ? set(object, "metadata", { ...objectAt(object.metadata), namespace: "default" })
      : object;
    return answerOf(sent, undefined, crd, context, { fieldValidation: "strict" }).allowed;
  };
}
