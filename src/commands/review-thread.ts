import { parentPort, workerData } from "node:worker_threads";
import { KindsInForce } from "../cluster/kinds-in-force.ts";
import { ListerReplicas } from "../cluster/replica.ts";
import { loadKinds } from "../kind/load-kinds.ts";
import { answerMutation, answerValidation } from "../review/admission.ts";
import { answerConversion, beginConversion } from "../review/conversion.ts";
import { preparedOnUse } from "../review/prepare.ts";
import { soon, timers } from "../server/life.ts";
import { answerOnThread } from "../server/thread-loop.ts";
import { readGates } from "./gates.ts";
import { reviewContextOf } from "./review-context.ts";

/** What `serve` passes to the thread for large reviews. */
export interface ReviewThreadData {
  readonly webhooks: readonly string[];
  readonly featureGates: string;
}

/** The module of that thread, for `new Worker`; imported elsewhere it does nothing. */
export const reviewThreadModule = new URL(
  import.meta.url.endsWith(".ts") ? "./review-thread.ts" : "./review-thread.js",
  import.meta.url,
);

const port = parentPort;
if (port !== null && isReviewThread(workerData)) {
  const { webhooks, featureGates, current } = workerData;
  const kinds = new KindsInForce(await loadKinds(webhooks), timers);
  const replicas = new ListerReplicas();
  const context = reviewContextOf(
    preparedOnUse(kinds, soon),
    replicas.of,
    readGates(featureGates, [...kinds.all, ...kinds.natives]),
    { now: () => new Date(), random: Math.random },
  );
  answerOnThread({
    port,
    replicas,
    kinds,
    current,
    endpoints: {
      "/convert": {
        handler: (review) => answerConversion(review, kinds),
        begin: (review) => beginConversion(review, kinds),
      },
      "/mutate": { handler: (review) => answerMutation(review, context) },
      "/validate": { handler: (review) => answerValidation(review, context) },
    },
  });
}

/** The threads of tests import this module, too. */
function isReviewThread(data: unknown): data is ReviewThreadData & { readonly current: Int32Array } {
  return typeof data === "object" && data !== null && "current" in data && "webhooks" in data;
}
