import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** Watches the sources of kinds. */
interface Watching {
  /** Settles when it has looked once: later changes are noticed. */
  readonly ready: Promise<void>;
  /** Stops the watch; `onChange` is not called afterwards. */
  readonly stop: () => void;
}

/**
 * Calls `onChange` with a changed, new or removed file of the folders: TypeScript, JavaScript, YAML and JSON. Editors and Git
 * write several files at once; that is one change. Dot files and node_modules do not count. It looks at the files instead of
 * asking for events, which mounted folders do not have and of which a machine has only so many.
 */
export function watchFolders(
  folders: readonly string[],
  onChange: (file: string) => void,
  pause: (signal: AbortSignal) => Promise<void> = pauseBetween,
): Watching {
  const stopping = new AbortController();
  const first = statesIn(folders);
  void look(folders, first, onChange, pause, stopping.signal);
  return { ready: first.then(() => {}), stop: () => stopping.abort() };
}

async function look(
  folders: readonly string[],
  first: Promise<States>,
  onChange: (file: string) => void,
  pause: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let known = await first;
  let changed: string | undefined;
  while (!signal.aborted) {
    await pause(signal);
    const now = await statesIn(folders);
    const different = differenceOf(known, now);
    // It is reported when nothing more has changed since.
    if (different === undefined && changed !== undefined && !signal.aborted) onChange(changed);
    changed = different;
    known = now;
  }
}

/** How often it looks: seldom enough to cost nothing, often enough for a person who waits. */
function pauseBetween(signal: AbortSignal): Promise<void> {
  return wait(300, undefined, { signal }).catch(() => {});
}

/** The time and size of each source, by its path. */
type States = ReadonlyMap<string, string>;

function differenceOf(before: States, after: States): string | undefined {
  for (const [file, state] of after) if (before.get(file) !== state) return file;
  for (const file of before.keys()) if (!after.has(file)) return file;
  return undefined;
}

async function statesIn(folders: readonly string[]): Promise<States> {
  const files = (await Promise.all(folders.map((folder) => sourcesIn(folder, 0)))).flat();
  const states = files.map(async (file) => {
    const state = await stat(file).catch(() => undefined);
    return [file, state === undefined ? "gone" : `${state.mtimeMs} ${state.size} ${state.ino}`] as const;
  });
  return new Map(await Promise.all(states));
}

/** A folder that cannot be read has no sources; starting the kinds says why. */
async function sourcesIn(folder: string, depth: number): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found = entries.filter(({ name }) => !name.startsWith(".") && name !== "node_modules");
  const nested = await Promise.all(
    found
      .filter((entry) => entry.isDirectory() && depth < mostDepth)
      .map(({ name }) => sourcesIn(join(folder, name), depth + 1)),
  );
  const own = found.filter((entry) => !entry.isDirectory() && isSource(entry.name));
  return [...own.map(({ name }) => join(folder, name)), ...nested.flat()];
}

const mostDepth = 20;

function isSource(name: string): boolean {
  return /\.(?:[cm]?[jt]s|ya?ml|json)$/.test(name);
}
