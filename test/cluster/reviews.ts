import type { RunningService } from "../support/service.ts";

/** How many reviews were answered. */
export interface Reviews {
  readonly conversions: number;
  readonly admissions: number;
}

/** Counts the reviews that replicas have answered, by their own metrics; of those that have ended, as last read. */
export class ReviewTally {
  readonly #read = new Map<RunningService, Reviews>();

  /** Reads the metrics of replicas that run. */
  async read(...services: readonly RunningService[]): Promise<void> {
    const counts = await Promise.all(services.map(reviewsOf));
    for (const [index, service] of services.entries()) this.#read.set(service, counts[index] as Reviews);
  }

  total(): Reviews {
    const all = [...this.#read.values()];
    const sum = (of: keyof Reviews) => all.reduce((total, each) => total + each[of], 0);
    return { conversions: sum("conversions"), admissions: sum("admissions") };
  }
}

async function reviewsOf({ opsPort }: RunningService): Promise<Reviews> {
  const text = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
  const sum = (metric: string) =>
    text
      .split("\n")
      .filter((line) => line.startsWith(`${metric}{`))
      .reduce((total, line) => total + Number(line.slice(line.lastIndexOf(" "))), 0);
  return {
    conversions: sum("antechamber_conversion_requests_total"),
    admissions: sum("antechamber_admission_requests_total"),
  };
}
