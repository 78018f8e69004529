import { type Fn, functionsOf } from "../language/function.ts";
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
} from "../language/types.ts";
import { authorizationRows } from "./authorization.ts";
import { formatRows } from "./formats.ts";
import { listRows } from "./lists.ts";
import { netRows } from "./net.ts";
import { optionalRows } from "./optionals.ts";
import { quantityRows } from "./quantities.ts";
import { semverRows } from "./semver.ts";
import { standardRows } from "./standard.ts";
import { stringRows } from "./strings.ts";
import { timeRows } from "./time-getters.ts";
import { urlRows } from "./urls.ts";

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
