import type { Cause, Path } from "antechamber";
import { invalid } from "./fault.ts";

/** A path that leads nowhere up. */
export function withoutBacksteps(text: string, path: Path): readonly Cause[] {
  return text.split("/").includes("..") ? invalid(path, text, "must not contain '..'") : [];
}

/** A path below the place where it is used. */
export function descending(text: string, path: Path): readonly Cause[] {
  return [
    ...(text.startsWith("/") ? invalid(path, text, "must be a relative path") : []),
    ...withoutBacksteps(text, path),
  ];
}

/** The same for a file of a volume, whose names that begin with two dots are the kubelet's. */
export function ordinaryFile(text: string, path: Path): readonly Cause[] {
  const isReserved = text.startsWith("..") && !text.startsWith("../");
  return [...descending(text, path), ...(isReserved ? invalid(path, text, "must not start with '..'") : [])];
}
