import path from "node:path";
import { createContext, runInContext } from "node:vm";
import { rolldown } from "rolldown";
import { beforeAll, describe, expect, it } from "vitest";
import { parseJson, writeJson } from "../../src/json/exact.ts";
import { get, isArray, isObject, type Json } from "../../src/json/json.ts";
import type { Answer } from "../../src/schema/index.ts";
import { newestKubernetes } from "../../src/schema/model/kubernetes-version.ts";
import { disagreement, readAnswers } from "./schemas-answers.ts";
import { digestOf, readCases } from "./schemas-cases.ts";
import { engineFor } from "./schemas-engine.ts";

// `antechamber/schema` in a context that has ECMAScript's globals alone, as little as any browser or editor has.

const entry = path.join(import.meta.dirname, "../../src/schema/index.ts");
let context: object;

beforeAll(async () => {
  const bundle = await rolldown({ input: entry, platform: "browser", logLevel: "silent" });
  const { output } = await bundle.generate({ format: "iife", name: "schema" });
  await bundle.close();
  context = createContext({});
  runInContext(output[0].code, context);
  runInContext(
    `var compiled;
     function compile(crd) {
       compiled = schema.compileCrd(schema.parseJson(crd));
       return compiled.causes === undefined ? "[]" : JSON.stringify(compiled.causes);
     }
     function write(text) { return schema.writeJson(compiled.crd.write(schema.parseJson(text))); }`,
    context,
  );
});

function call(name: string, text: string): Json {
  Object.assign(context, { text });
  return parseJson(String(runInContext(`${name}(text)`, context)));
}

/** An answer that came out of the context as text. */
function answerIn(json: Json): Answer {
  const [status, object, warnings] = [get(json, "status"), get(json, "object"), get(json, "warnings")];
  return {
    allowed: get(json, "allowed") === true,
    ...(isObject(status) ? { status } : {}),
    ...(isObject(object) ? { object } : {}),
    warnings: isArray(warnings) ? warnings.map(String) : [],
  };
}

describe("the bundle for browsers", () => {
  it("has nothing of Node.js", () => {
    const names = ["Buffer", "process", "require", "TextEncoder", "URL", "setTimeout", "structuredClone"];
    const present = `JSON.stringify([${names.map((name) => `typeof ${name}`).join()}])`;
    expect(JSON.parse(String(runInContext(present, context)))).toEqual(names.map(() => "undefined"));
  });

  it.each(readCases("accepted").map((each) => [each.name, each] as const))(
    "answers as the API server did: %s",
    (_name, { crd, writes, answers: file }) => {
      const answers = readAnswers(file, writes, newestKubernetes);
      expect(call("compile", writeJson(crd))).toEqual([]);
      const engine = engineFor((write) => answerIn(call("write", writeJson({ ...write }))));
      const failures = writes.flatMap((write) => {
        const recorded = answers.get(digestOf(write));
        if (recorded === undefined) return [`not recorded: ${writeJson({ ...write })}`];
        return disagreement(recorded.answers, engine(write, recorded.old)) ?? [];
      });
      expect(failures).toEqual([]);
    },
  );
});
