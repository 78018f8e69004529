import { counted } from "../../words.ts";
import type { WebhookReport } from "./report.ts";
import { faultsOf, keptOf } from "./sentences.ts";

/** A badge as shields.io reads it from an endpoint. Green is only what was tried to the end and loses nothing. */
export function badgeOf({ kinds, complete }: WebhookReport): string {
  const [message, color] = saying(kinds, complete);
  return `${JSON.stringify({ schemaVersion: 1, label: "conversion", message, color }, null, 2)}\n`;
}

function saying(kinds: WebhookReport["kinds"], complete: boolean): readonly [string, string] {
  const count = (of: (kind: WebhookReport["kinds"][number]) => number) =>
    kinds.reduce((sum, kind) => sum + of(kind), 0);
  const faults = count((kind) => faultsOf(kind).length);
  const known = count((kind) => kind.known?.length ?? 0);
  if (faults > 0) return [counted(faults + known, "finding"), "red"];
  if (!complete) return ["not all tried", "lightgrey"];
  if (known > 0) return [counted(known, "known finding"), "orange"];
  if (count(keptOf) > 0) return ["lossless while annotations stay", "green"];
  return ["nothing is lost", "brightgreen"];
}
