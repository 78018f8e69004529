import { parentPort, workerData } from "node:worker_threads";
import { KindsInForce } from "../../cluster/follow/kinds-in-force.ts";
import { ListerReplicas } from "../../cluster/follow/replica.ts";
import { loadKinds } from "../../kind/load-kinds.ts";
import { handlersOf } from "../../offline/review-context.ts";
import { answerOnThread } from "../../server/large/thread-loop.ts";
import { timers } from "../../time.ts";
import { readGates } from "../gates.ts";

/** The module of the thread for large reviews, for `new Worker`; imported elsewhere it does nothing. */
export const reviewThreadModule = new URL(
  import.meta.url.endsWith(".ts") ? "./review-thread.ts" : "./review-thread.js",
  import.meta.url,
);

interface ReviewThreadData {
  readonly answers: "large reviews";
  readonly webhooks: readonly string[];
  readonly featureGates: string;
}

/** The worker data of that thread. */
export function threadData(webhooks: readonly string[], featureGates = ""): ReviewThreadData {
  return { answers: "large reviews", webhooks, featureGates };
}

const port = parentPort;
if (port !== null && isReviewThread(workerData)) {
  const { webhooks, featureGates } = workerData;
  const kinds = new KindsInForce(await loadKinds(webhooks), timers);
  const replicas = new ListerReplicas();
  const gates = readGates(featureGates, [...kinds.all, ...kinds.natives]);
  const now = () => new Date();
  const { convert, mutate, validate } = handlersOf(kinds, replicas.of, gates, { now, random: Math.random });
  const handlers = { "/convert": convert, "/mutate": mutate, "/validate": validate };
  answerOnThread({ port, replicas, kinds, handlers });
}

/** The threads of tests import this module, too. */
function isReviewThread(data: unknown): data is ReviewThreadData {
  return typeof data === "object" && data !== null && "answers" in data && data.answers === "large reviews";
}
