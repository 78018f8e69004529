/**
 * The laws of conversion for test suites of users, imported from `antechamber/laws`. A separate entry point, so that a kind,
 * which imports `antechamber`, does not load fast-check.
 */

export type { Kind, Kinds } from "../kind/kind.ts";
export { InvalidKinds, loadKinds } from "../kind/load-kinds.ts";
export { checkLaws, type LawVerdict, laws, type Trials } from "./check.ts";
export type { InvalidImage } from "./invalid-images.ts";
export type { Counterexample, Law } from "./law.ts";
export { type Recording, readRecording } from "./recording.ts";
export { type Side, type Survey, surveyOf } from "./survey.ts";
