/**
 * How long a caller waits for its answer, in milliseconds: the `timeout` of the URL, as an API server sends it
 * (`?timeout=10s`, kubernetes.md 1.5 and 1.11), from 1 to 30 s. Thirty where it says nothing that can be read.
 */
export function timeoutOf(url: string): number {
  const text = /[?&]timeout=([^&#]{1,100})/.exec(url)?.[1];
  const milliseconds = text === undefined ? undefined : millisecondsOf(text);
  return milliseconds === undefined ? longest : Math.min(Math.max(milliseconds, shortest), longest);
}

const shortest = 1_000;
const longest = 30_000;

/** A duration as Go writes and reads it: `1m30s`, `1.5h`, `-2s`, `0`. Undefined where it is none. */
export function millisecondsOf(duration: string): number | undefined {
  const [, sign, parts] =
    /^([-+]?)(0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.exec(decoded(duration)) ?? [];
  if (parts === undefined) return undefined;
  let sum = 0;
  for (const [, amount, unit = ""] of parts.matchAll(/([\d.]+)([a-zµμ]+)/g)) {
    sum += Number(amount) * (units.get(unit) ?? 0);
  }
  return sign === "-" ? -sum : sum;
}

const units: ReadonlyMap<string, number> = new Map([
  ["ns", 1e-6],
  ["us", 1e-3],
  ["µs", 1e-3],
  ["μs", 1e-3],
  ["ms", 1],
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000],
]);

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not encoded as it should be, and so no duration.
    return "";
  }
}

/** What work gives, or undefined where it has not ended after so long; then nobody hears of what it gives later. */
export async function within<Made>(work: Promise<Made>, milliseconds: number): Promise<Made | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, Math.max(milliseconds, 0), undefined);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
