import { get, isObject, type Json, type JsonObject } from "../../src/json/json.ts";
import { answerWrite } from "../../src/schema/answer.ts";
import { compileDefinition } from "../../src/schema/crd.ts";
import type { Write } from "./schemas.ts";
import { type Answer, answerOf } from "./schemas-answers.ts";

/** What our engine says of writes to a kind: the validated side of what schemas-server.ts asks a real API server. */
export type Engine = (write: Write, old: JsonObject | undefined) => Answer;

/** The engine for a CRD. Throws where it would not take the CRD. */
export function engineOf(crd: JsonObject): Engine {
  const compiled = compileDefinition(crd);
  if ("faults" in compiled) {
    const told = compiled.faults.map(({ field, message }) => `${field}: ${message}`);
    throw new Error(`the engine refuses the CRD: ${told.join("\n")}`);
  }
  const { definition } = compiled;
  return ({ object, subresource }, old) => {
    const write = { ...withOld(object, old), ...(subresource === undefined ? {} : { subresource }) };
    const { allowed, status, object: stored, warnings } = answerWrite(definition, write);
    return answerOf(allowed, allowed ? stored : status, warnings);
  };
}

/** Why our engine refuses a CRD, in the form of causes; none if it takes it. */
export function faultsOf(crd: JsonObject): readonly JsonObject[] {
  const compiled = compileDefinition(crd);
  if (!("faults" in compiled)) return [];
  return compiled.faults.map(({ type, field, message }) => ({ field, message, reason: type }));
}

/** The write as a server meets it: an update repeats the resourceVersion of what is there. */
function withOld(object: JsonObject, old: JsonObject | undefined): { object: JsonObject; old?: JsonObject } {
  if (old === undefined) return { object };
  return {
    object: withMetadata(object, { resourceVersion: "1" }),
    old: withMetadata(old, {
      uid: "11111111-2222-3333-4444-555555555555",
      resourceVersion: "1",
      generation: 1,
      creationTimestamp: "2024-01-01T00:00:00Z",
    }),
  };
}

function withMetadata(object: JsonObject, more: JsonObject): JsonObject {
  const metadata: Json | undefined = get(object, "metadata");
  return isObject(metadata) ? { ...object, metadata: { ...more, ...metadata } } : object;
}
