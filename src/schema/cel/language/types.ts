/** The kinds of CEL types (cel-go common/types/kind.go). A `param` is a type yet to be found. */
type Kind =
  | "bool"
  | "bytes"
  | "double"
  | "duration"
  | "dyn"
  | "error"
  | "int"
  | "list"
  | "map"
  | "null"
  | "opaque"
  | "param"
  | "string"
  | "struct"
  | "timestamp"
  | "type"
  | "uint";

/** A CEL type. Types are compared by their content. */
export interface Type {
  readonly kind: Kind;
  /** As it prints at run time: `google.protobuf.Duration`, `null_type`, `optional_type`. */
  readonly name: string;
  readonly params: readonly Type[];
}

const simple = (kind: Kind, name: string = kind): Type => ({ kind, name, params: [] });

export const boolType = simple("bool");
export const bytesType = simple("bytes");
export const doubleType = simple("double");
export const durationType = simple("duration", "google.protobuf.Duration");
export const dynType = simple("dyn");
export const errorType = simple("error", "!error!");
export const intType = simple("int");
export const nullType = simple("null", "null_type");
export const stringType = simple("string");
export const timestampType = simple("timestamp", "google.protobuf.Timestamp");
export const uintType = simple("uint");
export const urlType = simple("struct", "kubernetes.URL");
export const quantityType = simple("struct", "kubernetes.Quantity");
export const formatType = simple("struct", "kubernetes.NamedFormat");
export const semverType = simple("struct", "kubernetes.Semver");
export const ipType = simple("opaque", "net.IP");
export const cidrType = simple("opaque", "net.CIDR");

export const listOf = (item: Type): Type => ({ kind: "list", name: "list", params: [item] });
export const mapOf = (key: Type, value: Type): Type => ({ kind: "map", name: "map", params: [key, value] });
export const optionalOf = (value: Type): Type => ({ kind: "opaque", name: "optional_type", params: [value] });
export const typeOf = (type?: Type): Type => ({ kind: "type", name: "type", params: type ? [type] : [] });
export const structOf = (name: string): Type => simple("struct", name);
export const paramOf = (name: string): Type => simple("param", name);

/** Whether a type is an optional. */
export const isOptional = (type: Type): boolean => type.kind === "opaque" && type.name === "optional_type";

/** The parameter at an index; the types that have parameters have all of them. */
export const paramAt = (type: Type, index: number): Type => type.params[index] ?? dynType;

/** Whether two types are the same, down to their parameters. */
export function isSame(a: Type, b: Type): boolean {
  return (
    a === b ||
    (a.kind === b.kind &&
      a.name === b.name &&
      a.params.length === b.params.length &&
      a.params.every((param, index) => isSame(param, paramAt(b, index))))
  );
}

/** A type as the checker's messages print it (cel-go checker/format.go): `list(string)`, `timestamp`, `null`. */
export function printType(type: Type): string {
  switch (type.kind) {
    case "duration":
    case "timestamp":
    case "null":
      return type.kind;
  }
  return type.params.length === 0 ? type.name : `${type.name}(${type.params.map(printType).join(", ")})`;
}
