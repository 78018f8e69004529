/**
 * The laws of conversion for a test suite of one's own, imported from `antechamber/laws`. A door of its own, so that a
 * kind, which imports `antechamber`, does not load what draws objects.
 */

export type { Kind, Kinds } from "../kind.ts";
export { FaultyKinds, loadKindsAt } from "../kinds.ts";
export { checkLaws, type LawVerdict, laws, type Trials } from "./check.ts";
export type { InvalidImage } from "./invalid-images.ts";
export type { Counterexample, Law } from "./law.ts";
export { type Recording, readRecording } from "./recording.ts";
export { type Side, type Survey, surveyOf } from "./survey.ts";
