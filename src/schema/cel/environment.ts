import { type Declared, fieldTypeOf } from "./declare.ts";
import { type Fn, functionsOf } from "./function.ts";
import { authorizationRows } from "./library/authorization.ts";
import { formatRows } from "./library/formats.ts";
import { listRows } from "./library/lists.ts";
import { netRows } from "./library/net.ts";
import { optionalRows } from "./library/optionals.ts";
import { quantityRows } from "./library/quantities.ts";
import { semverRows } from "./library/semver.ts";
import { standardRows } from "./library/standard.ts";
import { stringRows } from "./library/strings.ts";
import { timeRows } from "./library/times.ts";
import { urlRows } from "./library/urls.ts";
import {
  boolType,
  bytesType,
  cidrType,
  doubleType,
  durationType,
  dynType,
  intType,
  ipType,
  listOf,
  mapOf,
  nullType,
  optionalOf,
  stringType,
  type Type,
  timestampType,
  typeOf,
  uintType,
} from "./types.ts";

/** What an expression can name. */
export interface Environment {
  readonly variableType: (name: string) => Type | undefined;
  readonly function: (name: string) => Fn | undefined;
  readonly fieldType: (struct: string, field: string) => Type | undefined;
}

/** The functions that a rule of a CRD may call on kube-apiserver v1.36 (apiserver/pkg/cel/environment/base.go). */
export const functions: ReadonlyMap<string, Fn> = functionsOf([
  ...standardRows,
  ...timeRows,
  ...urlRows,
  ...stringRows,
  ...listRows,
  ...optionalRows,
  ...quantityRows,
  ...netRows,
  ...formatRows,
  ...semverRows,
  ...authorizationRows,
]);

/** The types that can be named as values: `type(self.x) == string`. */
export const namedTypes: ReadonlyMap<string, Type> = new Map(
  [
    boolType,
    bytesType,
    doubleType,
    durationType,
    intType,
    listOf(dynType),
    mapOf(dynType, dynType),
    nullType,
    stringType,
    timestampType,
    typeOf(),
    uintType,
    ipType,
    cidrType,
    optionalOf(dynType),
  ].map((type) => [type.name, type]),
);

/** What a rule at a place of the schema can name: itself, its old self, types and functions. */
export function environmentOf(declared: Declared, oldSelf: "plain" | "optional"): Environment {
  const old = oldSelf === "plain" ? declared.type : optionalOf(declared.type);
  return {
    variableType: (name) => {
      if (name === "self") return declared.type;
      if (name === "oldSelf") return old;
      const named = namedTypes.get(name);
      return named === undefined ? undefined : typeOf(named);
    },
    function: (name) => functions.get(name),
    fieldType: (struct, field) => fieldTypeOf(declared, struct, field),
  };
}
