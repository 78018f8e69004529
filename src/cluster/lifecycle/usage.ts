/** The use of a version of a kind, as one API server counts it. */
export interface Usage {
  /** When the process of the API server started, in its own words: a counter begins at 0 then. */
  readonly start: string;
  /** Requests since then, reads and writes. */
  readonly requests: number;
  /** Watches that are open now. */
  readonly watches: number;
}

/** Whether no request has ended in between: of a watch, the end counts. */
export function sameUse(before: Usage, now: Usage): boolean {
  return before.start === now.start && before.requests === now.requests;
}

/**
 * The use of a version in the metrics of an API server: `apiserver_request_total` counts a watch when it ends, and
 * `apiserver_longrunning_requests` while it is open (apiserver/pkg/endpoints/metrics/metrics.go).
 */
export function usageIn(
  metrics: string,
  { group, plural, version }: { readonly group: string; readonly plural: string; readonly version: string },
): Usage {
  const wanted = [`group="${group}"`, `resource="${plural}"`, `version="${version}"`];
  let start = "";
  let requests = 0;
  let watches = 0;
  for (const line of metrics.split("\n")) {
    if (line.startsWith("process_start_time_seconds ")) start = line.slice(line.indexOf(" ") + 1);
    const name = line.slice(0, line.indexOf("{"));
    if (name !== "apiserver_request_total" && name !== "apiserver_longrunning_requests") continue;
    const labels = line.slice(name.length + 1, line.lastIndexOf("}")).split(",");
    if (!wanted.every((label) => labels.includes(label))) continue;
    const value = Number(line.slice(line.lastIndexOf(" ") + 1));
    if (name === "apiserver_request_total") requests += value;
    else watches += value;
  }
  return { start, requests, watches };
}
