import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/json/json.ts";
import { fieldOf } from "../../../src/json/path.ts";
import { readYaml } from "../../../src/yaml/yaml.ts";
import { defaultPolicy } from "../../../webhooks/injection/policy/default.ts";
import { validatePolicy } from "../../../webhooks/injection/policy/validate.ts";

interface Case {
  readonly spec: JsonObject;
  readonly causes: readonly string[];
}

const text = readFileSync(new URL("faults.yaml", import.meta.url), "utf8");
const cases = readYaml(text)[0]?.value as unknown as readonly Case[];

describe("an InjectionPolicy is rejected for", () => {
  it.each(cases.map(({ spec, causes }) => [JSON.stringify(spec).slice(0, 100), spec, causes] as const))(
    "%s",
    (_text, spec, causes) => {
      const found = validatePolicy(defaultPolicy({ metadata: { name: "p" }, spec })).causes ?? [];
      const messages = found.map(({ path, message }) => `${fieldOf(path)}: ${message}`);
      expect(messages.map((each, index) => each.slice(0, causes[index]?.length))).toEqual(causes);
    },
  );
});
