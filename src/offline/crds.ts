import { kindName } from "../apimachinery/resource.ts";
import type { JsonObject } from "../json/json.ts";
import type { Kind } from "../kind/kind.ts";
import { crdName, crdOf } from "../manifests/crd.ts";
import {
  type Crd,
  type CrdOptions,
  compileCheckedCrd,
  compileCrd,
  crdStatus,
  type SchemaCause,
} from "../schema/index.ts";
import { crdModelOf } from "../schema/model/crd.ts";
import { crdsAmong, rejectedCrd, withoutCrd } from "./crd-input.ts";
import { type InputIo, readInput } from "./input.ts";

/** CRDs by the name of their kind, `Gadget.example.org`. */
export type Crds = ReadonlyMap<string, Crd>;

/** A CRD from a file, with the response of an API server to it. */
export interface GivenCrd {
  readonly source: string;
  /** `Gadget.example.org`. */
  readonly kind: string;
  readonly json: JsonObject;
  /** Absent if an API server would reject it. */
  readonly crd?: Crd;
  readonly answer: {
    readonly crd: string;
    readonly allowed: boolean;
    readonly status?: JsonObject;
    readonly warnings: readonly string[];
  };
  readonly causes: readonly SchemaCause[];
}

/** Reads the CRDs in files. Throws UsageError if there are none. */
export async function readCrds(
  files: readonly string[],
  io: InputIo,
  options: CrdOptions = {},
): Promise<readonly GivenCrd[]> {
  const inputs = await readInput(files, io);
  const given = crdsAmong(inputs);
  if (files.length > 0 && given.length === 0) throw withoutCrd(files.join(", "));
  return given.map(({ source, value }) => givenCrd(source, value, compileCrd(value, options)));
}

function givenCrd(source: string, value: JsonObject, compiled: ReturnType<typeof compileCrd>): GivenCrd {
  const { metadata, spec } = crdModelOf(value);
  const kind = kindName(spec.group, spec.names.kind);
  const crd = metadata.name;
  if ("crd" in compiled) {
    const { warnings } = compiled.crd;
    return {
      source,
      kind,
      json: value,
      crd: compiled.crd,
      answer: { crd, allowed: true, warnings },
      causes: [],
    };
  }
  const { causes } = compiled;
  const status = crdStatus(value, causes);
  return { source, kind, json: value, answer: { crd, allowed: false, status, warnings: [] }, causes };
}

/** The CRDs by kind. Throws UsageError if an API server would reject one. */
export function crdsByKind(given: readonly GivenCrd[]): Crds {
  return new Map(
    given.map(({ source, kind, crd, json, causes }) => {
      if (crd !== undefined) return [kind, crd];
      throw rejectedCrd(source, json, causes);
    }),
  );
}

/** The CRDs of kinds with a folder, which were checked when the kinds were loaded. */
export function crdsOf(kinds: readonly Kind[], options: CrdOptions = {}): Crds {
  const given = kinds.map((kind) => {
    const crd = crdOf(kind, { url: "https://localhost" });
    return givenCrd(crdName(kind), crd, compileCheckedCrd(crd, options));
  });
  return crdsByKind(given);
}
