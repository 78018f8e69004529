// The server side of bench/lossless.ts: one road, lossless or plain, in a process of its own so that its CPU can be told.
import { pino } from "pino";
import { localSource } from "../certs/local.ts";
import { image } from "../src/conversion/ladder.ts";
import type { Json, JsonObject } from "../src/json/json.ts";
import { type Kinds, versionIndex } from "../src/kind.ts";
import { loadKinds } from "../src/kinds.ts";
import type { Answer } from "../src/review/answer.ts";
import { answerConversion } from "../src/review/conversion.ts";
import { open, seal } from "../src/review/envelope.ts";
import { faultOfConverted } from "../src/review/selfcheck.ts";
import { startService } from "../src/server/service.ts";

/** The same road with two plain functions a version, as most webhooks are written: what is lost is lost. */
function answerPlainly(review: Json, kinds: Kinds): Answer {
  const opened = open(review, "ConversionReview");
  const desired = String(opened.request.desiredAPIVersion);
  const converted = (opened.request.objects as readonly JsonObject[]).map((object) => {
    const kind = kinds.find("home.antechamber.dev", String(object.kind));
    if (kind === undefined) throw new Error(`no kind ${object.kind}`);
    const { apiVersion, kind: name, metadata, ...content } = object;
    const [from, to] = [versionIndex(kind, apiVersion) ?? 0, versionIndex(kind, desired) ?? 0];
    const result = {
      apiVersion: desired,
      kind: name as Json,
      metadata: metadata as Json,
      ...image(content, kind.ladder, from, to),
    };
    const fault = faultOfConverted(object, result, desired);
    if (fault !== undefined) throw new Error(fault);
    return result;
  });
  return {
    review: seal(opened, { result: { status: "Success" }, convertedObjects: converted }),
    report: {
      review: "conversion",
      uid: opened.uid,
      kind: "other",
      from: "other",
      to: "other",
      objects: 1,
      outcome: "success",
    },
  };
}

const kinds = await loadKinds(["webhooks"]);
const certificates = await localSource({ hosts: [], now: () => new Date() });
const convert = process.argv[2] === "plain" ? answerPlainly : answerConversion;
const nothing = () => {
  throw new Error("only conversions are measured");
};
const service = await startService({
  roads: { convert: (review) => convert(review, kinds), mutate: nothing, validate: nothing },
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
