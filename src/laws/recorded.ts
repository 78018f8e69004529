import fc from "fast-check";
import type { JsonObject } from "../json/json.ts";
import { differenceOf } from "../judge/differences.ts";
import { bareOf, wired } from "./bare.ts";
import { claim, finding, type Law, noSteps } from "./law.ts";
import type { Recording } from "./recording.ts";
import { type Setting, trip } from "./setting.ts";

/** Law 12. */
export const recorded: Law = {
  name: "Recorded",
  statement: "Every carrier that an earlier release or an earlier hub wrote is still read.",
  needs: "recordings from earlier releases, given to checkLaws of antechamber/laws",
  claims: (setting) =>
    setting.recordings
      .filter(({ kind }) => kind === setting.kind.name)
      .map((recording) => {
        const { description, from, to, object, gives } = recording;
        return claim(description, `${from} → ${to}`, fc.constant(object), () =>
          finding(object, noSteps, differenceOf(gives, bareOf(given(setting, recording), gives))),
        );
      }),
};

/** A recording of what the current engine reads from an object with carriers. */
export function recordingOf(setting: Setting, source: Omit<Recording, "kind" | "gives">): Recording {
  const recording = { ...source, kind: setting.kind.name, gives: {} };
  return { ...recording, gives: bareOf(given(setting, recording)) };
}

function given(setting: Setting, { from, to, object }: Recording): JsonObject {
  const [source, target] = [from, to].map((name) =>
    setting.kind.versions.findIndex((each) => each.name === name),
  );
  if (source === undefined || target === undefined || source < 0 || target < 0)
    throw new Error(`${setting.kind.name} has no version ${source === -1 ? from : to}`);
  return trip(setting, wired(object), source, target);
}
