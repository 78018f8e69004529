import type { Record } from "./hostile-pace.ts";

/** The effect of one attack on one service. */
export interface Measured {
  /** CPU time of the service, without the share of the regular clients. */
  readonly cpuSeconds: number;
  /** From the first byte of the attack until the next response to a regular review. */
  readonly seconds: number;
  readonly health: Record;
  readonly reviews: Record;
  readonly residentMiB: number;
  readonly chargedMiB: number | undefined;
  readonly answered: string;
  readonly isNextRight: boolean;
}

/** A Markdown table, printed row by row. */
export function tableOf(hasGroup: boolean): {
  readonly head: string;
  readonly row: (says: string, all: readonly Measured[]) => string;
} {
  const titles = [
    "attack",
    "CPU s",
    "longest pause of /livez, ms",
    "longest wait of the small review, ms",
    `peak memory, MiB${hasGroup ? " (with page cache)" : ""}`,
    "answered",
    "next good request right",
  ];
  return {
    head: [line(titles), line(titles.map(() => "---"))].join("\n"),
    row: (says, all) => {
      const cells = all.map(cellsOf);
      return line([says, ...(cells[0] ?? []).map((_, at) => joined(cells.map((each) => each[at] ?? "")))]);
    },
  };
}

function cellsOf(measured: Measured): readonly string[] {
  const { cpuSeconds, health, reviews, residentMiB, chargedMiB, answered, isNextRight } = measured;
  const charged = chargedMiB === undefined ? "" : ` (${chargedMiB.toFixed(0)})`;
  return [
    cpuSeconds.toFixed(2),
    latency(health),
    latency(reviews),
    `${residentMiB.toFixed(0)}${charged}`,
    answered,
    isNextRight ? "yes" : "**no**",
  ];
}

function latency({ longest, failed, calls }: Record): string {
  return `${longest.toFixed(0)}${failed === 0 ? "" : `, ${failed} of ${calls} failed`}`;
}

function joined(cells: readonly string[]): string {
  return new Set(cells).size === 1 ? (cells[0] ?? "") : cells.join(" / ");
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
