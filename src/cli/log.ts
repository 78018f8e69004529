import { type DestinationStream, type Logger, pino } from "pino";
import { painted } from "../offline/lines.ts";
import type { Terminal } from "./console.ts";

/** How a log is written: `auto` is text on a terminal and JSON elsewhere. */
export type LogFormat = "auto" | "text" | "json";

/** The log of a service, on standard error. */
export function logOf(level: string, format: LogFormat, { stderr, env }: Terminal): Logger {
  const isText = format === "text" || (format === "auto" && stderr.isTTY === true);
  // By file descriptor, which is faster than the stream and written at once.
  if (!isText) return pino({ level }, pino.destination(2));
  const coloured = stderr.isTTY === true && (env.NO_COLOR ?? "") === "";
  const destination: DestinationStream = { write: (line) => void stderr.write(textOf(line, coloured)) };
  return pino({ level }, destination);
}

/** A JSON line of pino as text for people: the time, the level, the message, then the other members. */
function textOf(line: string, coloured: boolean): string {
  const { time, level, msg = "", err, pid: _, hostname: __, ...rest }: Entry = JSON.parse(line);
  const clock = new Date(time).toTimeString().slice(0, 8);
  const members = Object.entries(rest).map(([key, value]) => `  ${key}=${textOfValue(value)}`);
  const word = pino.levels.labels[level] ?? String(level);
  const first = `${clock} ${word.toUpperCase().padEnd(5)} ${msg}${members.join("")}`;
  const stack = (err?.stack ?? err?.message ?? "").split("\n").filter((each) => each !== "");
  const isBad = level >= 40;
  return [first, ...stack.map((each) => `  ${each.trim()}`)]
    .map((text) => `${painted({ text, ...(isBad ? { tone: "bad" } : {}) }, coloured)}\n`)
    .join("");
}

interface Entry {
  readonly time: number;
  readonly level: number;
  readonly msg?: string;
  readonly err?: { readonly message?: string; readonly stack?: string };
  readonly [name: string]: unknown;
}

/** A word as it is, anything else as JSON. */
function textOfValue(value: unknown): string {
  return typeof value === "string" && /^[\w./:-]+$/.test(value) ? value : JSON.stringify(value);
}
