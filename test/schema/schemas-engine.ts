import { get, isObject, type Json, type JsonObject } from "../../src/json/json.ts";
import { compileDefinition } from "../../src/schema/crd/define.ts";
import {
  checkDefinition,
  compileCrd,
  type KubernetesVersion,
  type SchemaWrite,
  type Answer as WriteAnswer,
} from "../../src/schema/index.ts";
import { fastPathOf } from "../../src/schema/openapi/fast-path.ts";
import { answerWrite } from "../../src/schema/write/answer.ts";
import { type Answer, answerOf } from "./schemas-answers.ts";
import type { Write } from "./schemas-cases.ts";

/** What our engine says of writes to a kind: the validated side of what schemas-server.ts asks a real API server. */
export type Engine = (write: Write, old: JsonObject | undefined) => Answer;

/** The engine for a CRD, as the package's users have it. Throws where it would not take the CRD. */
export function engineOf(crd: JsonObject, kubernetesVersion: KubernetesVersion): Engine {
  const compiled = compileCrd(crd, { kubernetesVersion });
  if ("causes" in compiled) throw rejected(compiled.causes);
  return engineFor(compiled.crd.write);
}

/** The same with the fast path that the service uses. */
export function fastEngineOf(crd: JsonObject, kubernetes: KubernetesVersion): Engine {
  const compiled = compileDefinition(crd, { kubernetes, fastPath: fastPathOf });
  if ("faults" in compiled) throw rejected(compiled.faults);
  return engineFor((write) => answerWrite(compiled.definition, write));
}

/** The engine over a function that answers writes. */
export function engineFor(answer: (write: SchemaWrite) => WriteAnswer): Engine {
  return ({ object, subresource }, old) => {
    const write = { ...withOld(object, old), ...(subresource === undefined ? {} : { subresource }) };
    const { allowed, status, object: stored, warnings } = answer(write);
    return answerOf(allowed, allowed ? stored : status, warnings);
  };
}

function rejected(causes: readonly { readonly field: string; readonly message: string }[]): Error {
  const sentences = causes.map(({ field, message }) => `${field}: ${message}`);
  return new Error(`the engine rejects the CRD: ${sentences.join("\n")}`);
}

/** Why our engine rejects a CRD, in the form of causes; none if it takes it. */
export function faultsOf(crd: JsonObject, kubernetesVersion: KubernetesVersion): readonly JsonObject[] {
  return checkDefinition(crd, { kubernetesVersion }).causes.map(({ reason, field, message }) => ({
    field,
    message,
    reason,
  }));
}

/** The warnings with which our engine takes a CRD, in the order in which answers are compared. */
export function crdWarningsOf(crd: JsonObject, kubernetesVersion: KubernetesVersion): readonly string[] {
  return checkDefinition(crd, { kubernetesVersion }).warnings.toSorted();
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
