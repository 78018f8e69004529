// The server of bench/injection.ts: the mutating webhook with so many SidecarSets and InjectionPolicies, in a separate process so that its CPU time
// and memory can be measured.
import { pino } from "pino";
import { localSource } from "../certs/local.ts";
import { loadKinds } from "../src/kind/load-kinds.ts";
import { offlineListers } from "../src/offline/listers.ts";
import { reviewContextOf } from "../src/offline/review-context.ts";
import { answerMutation } from "../src/review/admission.ts";
import { startService } from "../src/server/service.ts";
import { injectionPolicies, review, sidecarSets } from "./injection-objects.ts";

const kinds = await loadKinds(["webhooks"]);
const [sets = 0, policies = 0] = process.argv.slice(2).map(Number);
const objects = [...sidecarSets(sets), ...injectionPolicies(policies)];
const now = () => new Date();
const listers = offlineListers(objects, kinds, { now });
const beforePreparing = process.cpuUsage();
const context = reviewContextOf(kinds, listers, new Map(), {
  now: () => new Date(),
  random: Math.random,
});
const preparing = process.cpuUsage(beforePreparing);
const certificates = await localSource({ hosts: [], now });
const mutate = (body: Parameters<typeof answerMutation>[0]) => answerMutation(body, context);

const nothing = () => {
  throw new Error("only mutations are measured");
};
const service = await startService({
  handlers: { convert: nothing, mutate, validate: nothing },
  certificates,
  host: "127.0.0.1",
  port: 0,
  opsPort: 0,
  grace: 0,
  log: pino({ level: "silent" }),
});

const one = review();

process.on("message", (message) => {
  if (message === "cpu") process.send?.({ cpu: process.cpuUsage(), rss: process.memoryUsage.rss() });
  else process.send?.({ inside: insideOf(Number(message)) });
});
process.send?.({
  port: service.port,
  ca: certificates.authority(),
  prepared: (preparing.user + preparing.system) / 1000,
});

/** CPU microseconds of a response without transport, the average of so many. */
function insideOf(count: number): number {
  const before = process.cpuUsage();
  for (let index = 0; index < count; index++) mutate(one);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}
