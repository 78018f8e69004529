// Checks of any conversion webhook, known only by its answers to ConversionReviews.

export type { Ask, Reply } from "./ask.ts";
export { WebhookDied } from "./ask.ts";
export { type Checks, checkKind, type KindFindings } from "./check.ts";
export { type Finding, findingKinds, notes } from "./finding.ts";
export { type Subject, subjectOf } from "./subject.ts";
