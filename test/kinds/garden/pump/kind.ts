import { defineKind, isInteger, type Json, lens, move, toDouble, version } from "antechamber";

/** Three versions, and in every part of the object, status too, a field that only one of them has. */
export default defineKind({
  group: "garden.example.org",
  kind: "Pump",
  plural: "pumps",
  scope: "Namespaced",
  versions: [
    version("v1alpha1", lens()),
    version("v1beta1", lens(move("spec.timeout", "spec.timeoutSeconds", { up: secondsOf, down: textOf }))),
    version("v1"),
  ],
});

function secondsOf(text: Json): Json | undefined {
  const [, seconds] = (typeof text === "string" && /^([1-9]\d{0,2})s$/.exec(text)) || [];
  return seconds === undefined ? undefined : Number(seconds);
}

function textOf(seconds: Json): Json | undefined {
  return isInteger(seconds) ? `${toDouble(seconds)}s` : undefined;
}
