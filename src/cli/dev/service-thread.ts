import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { pino } from "pino";
import { writeJson } from "../../json/exact.ts";
import { loadKinds } from "../../kind/load-kinds.ts";
import { documentsOf } from "../manifests/manifest-files.ts";
import { serve } from "../serve/run.ts";
import type { DevMessage, DevOrder } from "./messages.ts";
import { servedKinds } from "./served-kind.ts";

const caFile = "webhook-ca.crt";

// A thread for each state of the kinds: a module that was imported once stays as it was for the rest of its thread.
const port = parentPort;
if (port !== null && isDevOrder(workerData)) await serveOnThread(port, workerData);

/** Serves until any message arrives, then stops. */
async function serveOnThread(port: MessagePort, order: DevOrder): Promise<void> {
  const send = (message: DevMessage) => port.postMessage(message);
  try {
    const service = await startService(order);
    port.once("message", async () => {
      await service.close();
      port.close();
    });
    send(await descriptionOf(order, service.port));
  } catch (error) {
    if (!isExpected(error)) throw error;
    send({ type: "invalid", sentence: error.message });
    port.close();
  }
}

function startService({ webhooks, kubeconfig, folder, featureGates }: DevOrder) {
  const options = {
    port: 0,
    opsPort: 0,
    webhooks,
    kubeconfig,
    certHost: [],
    caOut: caFile,
    grace: 0,
    ...(featureGates === undefined ? {} : { featureGates }),
  };
  return serve(options, {
    print: () => {},
    readStdin: async () => "",
    now: () => new Date(),
    random: Math.random,
    env: {},
    log: pino({ level: "warn" }, pino.destination(2)),
    folder,
  });
}

async function descriptionOf(
  { webhooks, folder, name, featureGates, isFirst }: DevOrder,
  port: number,
): Promise<DevMessage> {
  const kinds = await loadKinds(webhooks);
  const ca = await readFile(join(folder, caFile), "utf8");
  const documents = documentsOf(kinds, name, { url: `https://127.0.0.1:${port}`, ca });
  return {
    type: "serving",
    port,
    documents: writeJson([...documents]),
    kinds: servedKinds(kinds, {
      hasExamples: isFirst,
      now: () => new Date(),
      random: Math.random,
      ...(featureGates === undefined ? {} : { featureGates }),
    }),
    natives: kinds.natives.map((native) => native.name),
  };
}

/** Faults of the kinds and of the options have an exit code; anything else is a bug. */
function isExpected(error: unknown): error is Error {
  return error instanceof Error && "exitCode" in error;
}

/** The threads of tests import this module, too. */
function isDevOrder(data: unknown): data is DevOrder {
  return typeof data === "object" && data !== null && "dev" in data;
}
