import { UsageError } from "../errors.ts";
import type { InputObject, InputOptions } from "../offline/input.ts";

/** Documents that a command does not know: they are rejected, or skipped on request. */
interface Unknowns {
  /** How input is read, so that documents that are not objects can be skipped. */
  readonly reading: Pick<InputOptions, "onForeign">;
  /** The inputs that are known. Throws UsageError for the first other one unless they are skipped. */
  readonly known: <Input extends InputObject>(
    inputs: readonly Input[],
    whyUnknown: (input: Input) => string | undefined,
  ) => readonly Input[];
}

/** Rejects documents of unknown kinds, or notes them, each reason once. */
export function unknowns(isSkipped: boolean, note: (line: string) => void): Unknowns {
  const skipped = new Map<string, string[]>();
  const skip = (source: string, reason: string) => {
    skipped.set(reason, [...(skipped.get(reason) ?? []), source]);
  };
  const known: Unknowns["known"] = (inputs, whyUnknown) => {
    const found = inputs.filter((input) => {
      const reason = whyUnknown(input);
      if (reason === undefined) return true;
      if (!isSkipped)
        throw new UsageError(`${input.source}: ${reason}; add --skip-unknown to skip such documents`);
      skip(input.source, reason.replace(/;.*/s, ""));
      return false;
    });
    for (const [reason, sources] of skipped) note(`skipped ${places(sources)}: ${reason}`);
    if (found.length === 0 && skipped.size > 0)
      throw new UsageError("no object of a known kind found: every document was skipped");
    return found;
  };
  return { reading: isSkipped ? { onForeign: skip } : {}, known };
}

function places([first, ...more]: readonly string[]): string {
  return more.length === 0 ? `${first}` : `${first} and ${more.length} more`;
}

/** Why an object has no kind at all; undefined if it has one. */
export function whyWithoutKind({ value: { apiVersion, kind } }: InputObject): string | undefined {
  const isNamed = typeof apiVersion === "string" && typeof kind === "string";
  return isNamed ? undefined : "the object has no apiVersion and kind";
}
