import { type Checks, checkKind, type KindFindings, notes, subjectOf } from "../../../src/checks/index.ts";
import { isObject, type Json, type JsonObject } from "../../../src/json/json.ts";
import { readYaml } from "../../../src/yaml/yaml.ts";
import { type Conversion, webhookOf } from "./webhooks.ts";

/** A clock that stands still: no check depends on how long an answer takes. */
export const checks: Checks = {
  batch: 100,
  clock: () => 0,
  until: 1,
  seed: 1,
  runs: 10,
  ignored: [],
  examples: [],
};

/** A version's fields of spec and status as YAML, and what else its entry says. */
export interface VersionText {
  readonly spec?: string;
  readonly status?: string;
  readonly more?: JsonObject;
}

/** The CRD of a kind Thing, of which the last version is stored. */
export function crdOf(versions: Readonly<Record<string, VersionText>>): JsonObject {
  const names = Object.keys(versions);
  const entries = Object.entries(versions).map(([name, { spec, status, more }]): JsonObject => {
    const properties = Object.fromEntries(
      Object.entries({ spec, status }).flatMap(([field, text]) =>
        text === undefined ? [] : [[field, { type: "object", properties: yamlOf(text) }]],
      ),
    );
    const schema = { openAPIV3Schema: { type: "object", properties } };
    return { name, served: true, storage: name === names.at(-1), schema, ...more };
  });
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.example.com" },
    spec: {
      group: "example.com",
      names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
      scope: "Namespaced",
      versions: entries,
    },
  };
}

function yamlOf(text: string): Json {
  return readYaml(text)[0]?.value ?? null;
}

/** What is found in the conversion of a CRD. */
export async function checked(
  crd: JsonObject,
  convert: Conversion,
  more: Partial<Checks> = {},
): Promise<KindFindings> {
  const read = subjectOf(crd);
  if ("causes" in read) throw new Error(JSON.stringify(read.causes));
  return checkKind(read.subject, webhookOf(convert), { ...checks, ...more });
}

/** The faults among the findings: `kind place`. */
export function faultsIn({ findings }: KindFindings): readonly string[] {
  const lines = findings.filter(({ kind }) => !notes.has(kind)).map(({ kind, place }) => `${kind} ${place}`);
  return [...new Set(lines)].toSorted();
}

/** A conversion that changes nothing but the version. */
export const same: Conversion = (object, desired) => ({ ...object, apiVersion: desired });

/** A conversion with a change of the spec, in both directions. */
export function changing(change: (spec: JsonObject, desired: string) => JsonObject): Conversion {
  return (object, desired) => {
    const made = same(object, desired);
    return isObject(made.spec) ? { ...made, spec: change(made.spec, desired) } : made;
  };
}
