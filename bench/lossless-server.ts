// The server of bench/lossless.ts, lossless or plain, in a separate process so that its CPU time can be measured.
import { pino } from "pino";
import { localSource } from "../certs/local.ts";
import type { SerializedObject } from "../src/conversion/carriers.ts";
import { convertSerialized } from "../src/conversion/convert.ts";
import { image, type VersionChain, versionAt } from "../src/conversion/version-chain.ts";
import type { JsonObject } from "../src/json/json.ts";
import { loadKinds } from "../src/kind/load-kinds.ts";
import { answerConversion } from "../src/review/conversion.ts";
import { startService } from "../src/server/service.ts";

/** Two plain functions per version, as in most webhooks, without complements. Everything else is the same. */
function convertPlainly(object: JsonObject, chain: VersionChain, from: number, to: number): SerializedObject {
  const { apiVersion: _, kind, metadata, ...content } = object;
  const identity = { apiVersion: versionAt(chain, to).apiVersion, kind, metadata } as JsonObject;
  return { object: { ...identity, ...image(content, chain, from, to) }, carrierText: undefined };
}

const [, , mode, ...folders] = process.argv;
const kinds = await loadKinds(folders);
const certificates = await localSource({ hosts: [], now: () => new Date() });
const convert = mode === "plain" ? convertPlainly : convertSerialized;
const nothing = () => {
  throw new Error("only conversions are measured");
};
const service = await startService({
  handlers: {
    convert: (review) => answerConversion(review, kinds, convert),
    mutate: nothing,
    validate: nothing,
  },
  certificates,
  host: "127.0.0.1",
  port: 0,
  opsPort: 0,
  grace: 0,
  log: pino({ level: "silent" }),
});
process.on("disconnect", () => process.exit(0));
process.on("message", () => process.send?.({ cpu: process.cpuUsage(), rss: process.memoryUsage.rss() }));
process.send?.({ port: service.port, ca: certificates.authority() });
