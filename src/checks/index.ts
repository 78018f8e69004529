// Checks of other people's conversion webhooks and CRDs: all that the rest of the house uses of them.

export { type Comparison, compareRevisions } from "./crd/compare.ts";
export { type DeletedPlace, DeletionCount, deletionsOf } from "./crd/deletions.ts";
export { differs } from "./crd/differences.ts";
export { changesOf } from "./crd/effects.ts";
export type { Class, Finding as CrdFinding } from "./crd/finding.ts";
export { contentOf, type Revision, type RevisionVersion, revisionOf } from "./crd/revision.ts";
export { labelled } from "./crd/updates.ts";
export { shortened } from "./crd/words.ts";
export type { Ask, Reply } from "./webhook/ask.ts";
export { placeText } from "./webhook/build.ts";
export { changesOf as changesBetween } from "./webhook/changes.ts";
export { checkKind, type KindFindings } from "./webhook/check.ts";
export { type Finding, findingKinds, notes } from "./webhook/finding.ts";
export { wordsOf } from "./webhook/findings.ts";
export { foldedAcross } from "./webhook/fold.ts";
export { type Subject, sizeOf, subjectOf } from "./webhook/subject.ts";
export type { Checks } from "./webhook/way.ts";
