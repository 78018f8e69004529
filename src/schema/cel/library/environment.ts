import { once } from "../../../once.ts";
import { isSince, type KubernetesVersion } from "../../model/kubernetes-version.ts";
import { type Fn, functionsOf, type Row } from "../language/function.ts";
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

/** The functions that a rule of a CRD may call on a release of kube-apiserver (apiserver/pkg/cel/environment/base.go). */
export function functionsSince(kubernetes: KubernetesVersion): ReadonlyMap<string, Fn> {
  return isSince(kubernetes, "1.37") ? functions() : functions136();
}

const rows: readonly Row[] = [
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
];

// Removed in v1.37, where such a rule did nothing but fail: an integer has no unit of time.
const removed = new Set(["int64_to_duration"]);

// Reading the signatures takes milliseconds, and most commands compile no rule.
const functions136 = once(() => functionsOf(rows));
const functions = once(() => functionsOf(rows.filter(([id]) => !removed.has(id))));

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
