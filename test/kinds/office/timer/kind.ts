import { defineKind, isInteger, lens, move, table, toDouble, version } from "antechamber";

/** A delay with a unit that became whole seconds; a switch that became its opposite; alarms with a melody, which only the older version has. */
const delays = lens(
  move("spec.delay", "spec.delaySeconds", {
    up: (delay) =>
      typeof delay === "string" && /^\d{1,4}s$/.test(delay) ? Number(delay.slice(0, -1)) : undefined,
    down: (seconds) => (isInteger(seconds) ? `${toDouble(seconds)}s` : undefined),
  }),
  move("spec.disableSnooze", "spec.enableSnooze", table([true, false], [false, true])),
);

export default defineKind({
  group: "office.example.org",
  kind: "Timer",
  plural: "timers",
  scope: "Namespaced",
  versions: [version("v1beta1", delays), version("v1")],
});
