import type { Cause, Path } from "antechamber";
import { invalid } from "../fault.ts";

/** A path without `..`. */
export function withoutBacksteps(text: string, path: Path): readonly Cause[] {
  return text.split("/").includes("..") ? invalid(path, text, "must not contain '..'") : [];
}

/** A relative path without `..`. */
export function descending(text: string, path: Path): readonly Cause[] {
  return [
    ...(text.startsWith("/") ? invalid(path, text, "must be a relative path") : []),
    ...withoutBacksteps(text, path),
  ];
}

/** A relative path to a file of a volume; names that begin with two dots are reserved for the kubelet. */
export function ordinaryFile(text: string, path: Path): readonly Cause[] {
  const isReserved = text.startsWith("..") && !text.startsWith("../");
  return [...descending(text, path), ...(isReserved ? invalid(path, text, "must not start with '..'") : [])];
}
