import { workerData } from "node:worker_threads";
import { webhookClient } from "../../src/cluster/api/webhook-client.ts";
import type { AskerData } from "./asked-lens.ts";

const { url, ca, flag, port } = workerData as AskerData;
const client = webhookClient({ url, ca, timeout: 20_000 });

port.on("message", async (review: string) => {
  port.postMessage(await client.post(review));
  Atomics.store(flag, 0, 1);
  Atomics.notify(flag, 0);
});
