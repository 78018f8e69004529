import type { Gate } from "../gate.ts";
import { UsageError } from "./errors.ts";

/** Reads `Name=true,Other=false`; every name must be a gate of one of the kinds. Throws UsageError. */
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
    if (!known.has(name)) throw new UsageError(`--feature-gates: ${strange(name, known)}`);
    if ((value !== "true" && value !== "false") || more.length > 0) {
      throw new UsageError(`--feature-gates: ${name} is neither true nor false; write ${name}=true`);
    }
    given.set(name, value === "true");
  }
  return given;
}

function strange(name: string, known: ReadonlyMap<string, Gate>): string {
  const lines = [...known].map(([each, gate]) => `  ${each}=${gate.default}: ${gate.meaning}`);
  const there = lines.length === 0 ? "no kind here has one" : `there are\n${lines.join("\n")}`;
  return `no kind has a gate ${JSON.stringify(name)}; ${there}`;
}
