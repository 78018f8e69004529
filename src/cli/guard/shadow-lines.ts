import { UsageError } from "../../errors.ts";
import { metricDefinitions } from "../../monitoring/metrics.ts";
import type { ShadowCount } from "../../server/shared/metrics.ts";
import { counted } from "../../words.ts";

/** What guards in the shadow have found by their metrics, added up; the most frequent first. Throws UsageError. */
export async function shadowLines(urls: readonly string[]): Promise<readonly string[]> {
  const found = new Map<string, ShadowCount>();
  let looked = 0;
  for (const url of urls)
    for (const { name, labels, value } of samplesOf(await textAt(url))) {
      const { object, ...rest } = labels;
      const { kind = "", from = "", to = "", outcome = "", field = "", guarded = "" } = rest;
      const key = [kind, from, to, outcome, field, guarded].join("\0");
      const none = { kind, from, to, outcome, field, guarded, conversions: 0, objects: [] };
      const before = found.get(key) ?? none;
      if (name === metricDefinitions.shadowFindings.name)
        found.set(key, { ...before, conversions: before.conversions + value });
      if (name === metricDefinitions.shadowLooked.name) looked += value;
      if (name === metricDefinitions.shadowObjects.name && object !== undefined)
        found.set(key, { ...before, objects: [...new Set([...before.objects, object])].slice(0, 3) });
    }
  if (urls.length > 0 && found.size === 0)
    return [
      looked === 0
        ? "the shadow has not looked at any conversion yet"
        : `the shadow has looked at ${counted(looked, "conversion")}, and nothing is lost`,
    ];
  return [...found.values()].toSorted((a, b) => b.conversions - a.conversions).map(lineOf);
}

function lineOf({ kind, from, to, outcome, field, guarded, conversions, objects }: ShadowCount): string {
  const what = field === "" ? "the whole object" : field;
  const keeps = guarded === "kept" ? "keeps" : "does not keep";
  return `${kind} ${from} → ${to}: ${what} ${outcome} ${conversions}×, the guard ${keeps} it: ${objects.join(", ")}`;
}

async function textAt(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) }).catch((error: unknown) => {
    throw new UsageError(`--metrics ${url}: cannot be read: ${String(error)}`, { cause: error });
  });
  if (response.ok) return response.text();
  throw new UsageError(`--metrics ${url}: HTTP ${response.status}`);
}

/** The samples of the shadow in a text in the format of Prometheus. */
function* samplesOf(text: string) {
  for (const line of text.split("\n")) {
    const [, name = "", inside = "", value = ""] =
      /^(antechamber_shadow_\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === "") continue;
    const labels: Readonly<Record<string, string>> = Object.fromEntries(
      [...inside.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = "", label = ""]) => [
        key,
        label.replaceAll(/\\(.)/g, (_, each: string) => (each === "n" ? "\n" : each)),
      ]),
    );
    yield { name, labels, value: Number(value) };
  }
}
