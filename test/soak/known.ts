import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { get, isArray, isObject, type JsonObject } from "../../src/json/json.ts";
import type { Kind } from "../../src/kind/kind.ts";
import { readYaml } from "../../src/yaml/yaml.ts";
import { type Finding, stepOf } from "./finding.ts";
import type { Fault } from "./judge.ts";
import type { Life } from "./step.ts";

/** A fault of the engine that is known: how it looks, and a life that leads to it. */
export interface Known {
  /** Its letter in the list of what is to be mended, or a name. */
  readonly finding: string;
  readonly why: string;
  /** The kind whose life reproduces it. */
  readonly kind: string;
  readonly check: Fault["check"];
  /** The field, without indexes and keys: of the reproduction. */
  readonly field: string;
  /** Other faults that have the same cause: parts of signatures, as patterns, by kind. */
  readonly like: readonly {
    readonly kind: RegExp;
    readonly check: RegExp;
    readonly field: RegExp;
    readonly says: RegExp;
    /** The way of the write that shows it. */
    readonly by: RegExp;
  }[];
  readonly life: Life;
}

/** The faults of a file, in its order: one of this folder, or any other by its path. */
export function readKnown(name: string): readonly Known[] {
  const file = resolve(import.meta.dirname, name);
  return readYaml(readFileSync(file, "utf8")).flatMap(({ value }) => {
    if (!isObject(value)) throw new Error(`${file} holds a document that is not an object`);
    // Those about actions are for test/cluster/suites/known-actions.ts.
    return value.action === undefined ? [knownOf(value)] : [];
  });
}

/** The known fault that a finding is one of. */
export function knownAs(known: readonly Known[], { kind, fault, life }: Finding): Known | undefined {
  const field = patternOf(fault.field);
  const by = life.steps.at(-1)?.by ?? "";
  return known.find(
    (each) =>
      (each.kind === kind.name && each.check === fault.check && each.field === field) ||
      each.like.some(
        (like) =>
          like.kind.test(kind.name) &&
          like.check.test(fault.check) &&
          like.field.test(field) &&
          like.says.test(fault.says) &&
          like.by.test(by),
      ),
  );
}

/** The kind of a known fault. */
export function kindOf(kinds: readonly Kind[], { kind }: Known): Kind {
  const found = kinds.find(({ name }) => name === kind);
  if (found === undefined)
    throw new Error(`known.yaml names ${kind}, which is not one of the kinds under test`);
  return found;
}

/** A field without indexes and keys. */
export function patternOf(field: string): string {
  return field.replace(/\[.*?\](?=\.|\[|$)/g, "[]");
}

function knownOf(value: JsonObject): Known {
  const text = (name: string) => String(get(value, name) ?? "");
  const [like, steps, object] = [value.like, value.steps, value.object];
  return {
    finding: text("finding"),
    why: text("why"),
    kind: text("kind"),
    check: text("check") as Fault["check"],
    field: text("field"),
    like: (isArray(like) ? like : []).map((each) => {
      const pattern = (name: string) => new RegExp(String(get(each, name) ?? ""));
      return {
        kind: pattern("kind"),
        check: pattern("check"),
        field: pattern("field"),
        says: pattern("says"),
        by: pattern("by"),
      };
    }),
    life: {
      at: text("at"),
      object: isObject(object) ? object : {},
      steps: (isArray(steps) ? steps : []).map(stepOf),
    },
  };
}
