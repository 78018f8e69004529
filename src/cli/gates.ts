import { UsageError } from "../errors.ts";
import type { Gate } from "../kind/gate.ts";

/** Parses `Name=true,Other=false`; each name must be a feature gate of one of the kinds. Throws UsageError. */
export function readGates(
  text: string,
  kinds: readonly {
    readonly definition: { readonly gates?: Readonly<Record<string, Gate>> };
  }[],
): ReadonlyMap<string, boolean> {
  const known = new Map(kinds.flatMap(({ definition }) => Object.entries(definition.gates ?? {})));
  const given = new Map<string, boolean>();
  for (const word of text.split(",").filter((each) => each.trim() !== "")) {
    const [name = "", value, ...more] = word.split("=").map((each) => each.trim());
    if (!known.has(name)) throw new UsageError(`--feature-gates: ${unknownGate(name, known)}`);
    if ((value !== "true" && value !== "false") || more.length > 0) {
      throw new UsageError(`--feature-gates: the value of ${name} must be true or false, as in ${name}=true`);
    }
    given.set(name, value === "true");
  }
  return given;
}

function unknownGate(name: string, known: ReadonlyMap<string, Gate>): string {
  const lines = [...known].map(([each, gate]) => `  ${each}=${gate.default}: ${gate.meaning}`);
  const hint =
    lines.length === 0 ? "no kind has a feature gate" : `the feature gates are\n${lines.join("\n")}`;
  return `unknown feature gate ${JSON.stringify(name)}; ${hint}`;
}
