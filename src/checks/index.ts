// Checks of other people's conversion webhooks and CRDs: all that the rest of the house uses of them.

export { type Class, type Comparison, compareRevisions, type Finding as CrdFinding } from "./crd/compare.ts";
export { changesOf } from "./crd/effects.ts";
export { contentOf, type Revision, revisionOf } from "./crd/revision.ts";
export { shortened } from "./crd/words.ts";
export type { Ask, Reply } from "./webhook/ask.ts";
export { type Checks, checkKind, type KindFindings } from "./webhook/check.ts";
export { type Finding, findingKinds, notes } from "./webhook/finding.ts";
export { foldedAcross } from "./webhook/fold.ts";
export { type Subject, sizeOf, subjectOf } from "./webhook/subject.ts";
