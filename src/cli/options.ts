import { fileURLToPath } from "node:url";
import { InvalidArgumentError, Option } from "commander";

/** The kinds that come with the engine. */
export const ownWebhooks = fileURLToPath(new URL("../../webhooks", import.meta.url));

/** An option that the environment can give as well: --ops-port is ANTECHAMBER_OPS_PORT. */
export function option(flags: string, description: string): Option {
  const made = new Option(flags, description);
  const name = `ANTECHAMBER_${made.name().toUpperCase().replaceAll("-", "_")}`;
  return isMeant(made, process.env[name] ?? "") ? made.env(name) : made;
}

/** Where the kinds are. */
export function webhooksOption(): Option {
  return option("--webhooks <folder...>", "folders of kinds, each two levels down").default(
    [ownWebhooks],
    "the kinds of a home",
  );
}

/** Where the objects are. */
export function fileOption(): Option {
  return option(
    "-f, --file <path...>",
    "file, folder or - for standard input; YAML or JSON, several documents",
  ).makeOptionMandatory();
}

/** How objects are printed. */
export function outputOption(): Option {
  return option("-o, --output <format>", "format of the output").choices(["yaml", "json"]).default("yaml");
}

/** A port, 0 for any. Throws InvalidArgumentError. */
export function port(text: string): number {
  const value = wholeNumber(text);
  if (value > 65_535) throw new InvalidArgumentError("A port is at most 65535.");
  return value;
}

/** A number without sign or fraction. Throws InvalidArgumentError. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("It is no whole number.");
  return Number(text);
}

/** How often something is tried. Throws InvalidArgumentError. */
export function countOfRuns(text: string): number {
  const value = wholeNumber(text);
  if (value < 1 || value > 1_000_000) throw new InvalidArgumentError("Write a number from 1 to 1000000.");
  return value;
}

/** One more of an option that may be given again; several at once stand between commas. */
export function another(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(",")];
}

/** How many objects a page has. Throws InvalidArgumentError. */
export function pageSize(text: string): number {
  const value = wholeNumber(text);
  if (value < 1 || value > 10_000) throw new InvalidArgumentError("A page has 1 to 10000 objects.");
  return value;
}

/** A duration in milliseconds. Throws InvalidArgumentError. */
export function duration(text: string): number {
  const [, amount, unit] = /^(\d{1,6})(ms|s|m)$/.exec(text) ?? [];
  if (amount === undefined) throw new InvalidArgumentError("Write it as 15s, 500ms or 2m.");
  return Number(amount) * (unit === "ms" ? 1 : unit === "s" ? 1000 : 60_000);
}

/** An amount of memory in bytes, written as Kubernetes writes it. Throws InvalidArgumentError. */
export function memory(text: string): number {
  const [, amount, unit] = /^(\d{1,6})(Mi|Gi)$/.exec(text) ?? [];
  const bytes = Number(amount) * (unit === "Gi" ? 1024 ** 3 : 1024 ** 2);
  // Less would refuse the largest reviews for ever, not for now.
  if (!(bytes >= 32 * 1024 ** 2)) throw new InvalidArgumentError("Write it as 384Mi or 1Gi, at least 32Mi.");
  return bytes;
}

/**
 * Whether a variable is an option of ours: Kubernetes tells the pods beside a Service named antechamber of it by
 * ANTECHAMBER_PORT=tcp://…, and a switch that is set to false is one that is not given.
 */
function isMeant(made: Option, value: string): boolean {
  if (/^(tcp|udp|sctp):\/\//.test(value)) return false;
  return !made.isBoolean() || !/^(false|no|off|0)$/i.test(value);
}
