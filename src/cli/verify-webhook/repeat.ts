import path from "node:path";
import { shellWord } from "../shell-word.ts";
import type { TargetOptions } from "./targets.ts";

/** What decides which objects are tried, and what is reported. */
export interface RepeatedOptions extends TargetOptions {
  /** Random objects for each pair of versions. */
  readonly runs: number;
  /** Places that are not reported. */
  readonly ignore: readonly string[];
  /** Milliseconds after which the checks stop. */
  readonly maxTime: number;
}

/** Milliseconds that apply where the command line names no others. */
export const defaultTimes = { timeout: 10_000, maxTime: 600_000 } as const;

/**
 * The command line that repeats a run, for a POSIX shell: files by their names, and no credentials of the URL. It begins with the
 * command as a reader types it.
 */
export function repeatCommand(command: string, options: RepeatedOptions, seed: number): string {
  const { url, kubeconfig, objects, insecure, timeout, maxTime } = options;
  const words = [
    ...optionWords("--url", url === undefined ? [] : [publicUrl(url)]),
    ...(kubeconfig === true ? ["--kubeconfig"] : optionWords("--kubeconfig", given(kubeconfig))),
    ...optionWords("--crd", options.crd),
    ...optionWords("--kind", options.kind),
    ...optionWords("--objects", objects === 0 ? [] : [String(objects)]),
    ...optionWords("--file", options.file),
    ...optionWords("--stored", options.stored),
    ...optionWords("--ca", given(options.ca)),
    ...(insecure ? ["--insecure-skip-tls-verify"] : []),
    ...optionWords("--server-name", given(options.serverName)),
    ...optionWords("--client-cert", given(options.clientCert)),
    ...optionWords("--client-key", given(options.clientKey)),
    ...optionWords("--ignore", options.ignore),
    ...optionWords("--timeout", timeout === defaultTimes.timeout ? [] : [durationText(timeout)]),
    ...optionWords("--max-time", maxTime === defaultTimes.maxTime ? [] : [durationText(maxTime)]),
  ];
  return [`${command} verify`, ...words, `--runs ${options.runs} --seed ${seed}`].join(" ");
}

/** A URL as it was given, or without user name, password, query and fragment if it has any: tokens are passed in these. */
export function publicUrl(url: string): string {
  const { protocol, username, password, host, pathname, search, hash } = new URL(url);
  return username + password + search + hash === "" ? url : `${protocol}//${host}${pathname}`;
}

/** Options in which files outside the working directory have no folders: these say something of a machine alone. */
export function withoutFolders<T extends RepeatedOptions>(options: T): T {
  const { ca, clientCert, clientKey, kubeconfig } = options;
  return {
    ...options,
    crd: options.crd.map(publicPath),
    file: options.file.map(publicPath),
    stored: options.stored.map(publicPath),
    ...(ca === undefined ? {} : { ca: publicPath(ca) }),
    ...(clientCert === undefined ? {} : { clientCert: publicPath(clientCert) }),
    ...(clientKey === undefined ? {} : { clientKey: publicPath(clientKey) }),
    ...(typeof kubeconfig === "string" ? { kubeconfig: publicPath(kubeconfig) } : {}),
  };
}

function publicPath(file: string): string {
  const relative = path.relative("", file);
  return file === "-" || relative === "" ? file : relative.startsWith("..") ? path.basename(file) : relative;
}

/** An option once for each value. A value that looks like an option is joined to it. */
function optionWords(name: string, values: readonly string[]): readonly string[] {
  return values.flatMap((value) =>
    value.startsWith("-") && value !== "-" ? [shellWord(`${name}=${value}`)] : [name, shellWord(value)],
  );
}

function given(value: string | undefined): readonly string[] {
  return value === undefined ? [] : [value];
}

/** A duration as the options take it, in the largest unit that it is a whole number of. */
function durationText(milliseconds: number): string {
  const units = [
    ["d", 86_400_000],
    ["h", 3_600_000],
    ["m", 60_000],
    ["s", 1_000],
  ] as const;
  const [unit, size] = units.find(([, each]) => milliseconds > 0 && milliseconds % each === 0) ?? ["ms", 1];
  return `${milliseconds / size}${unit}`;
}
