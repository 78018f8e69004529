// The attacks with possible lasting effects, or on the code of one kind: leftovers, forged carriers, large pods.
import https from "node:https";
import { deflateRawSync } from "node:zlib";
import { askAll, Connection, requestOf } from "./connection.ts";
import { accessory, admissionOf, conversionOf, podAdmissionOf, roomText, times } from "./hostile-bodies.ts";
import { type Attack, counted, once, post } from "./hostile-sending.ts";
import type { Target } from "./hostile-service.ts";

/** Forged carriers. */
export const forgeries: readonly Attack[] = [
  forged("lists", "almost 16 MiB", () => `"spec":{"x":{"=":[${times(5_590_000, () => "[]")}]}}`),
  forged("leaves", "almost 16 MiB", () => `"spec":{${times(850_000, () => '"lights":{"=":[1]}')}}`),
  forged(
    "many-keys",
    "1.7 MiB",
    () => `"spec":{${times(140_000, (index) => `"${index.toString(36)}":{"=":1}`)}}`,
  ),
];

/** A Room whose annotation inflates to almost 16 MiB; it is read a hundred times. */
function forged(sort: string, size: string, tree: () => string): Attack {
  return {
    name: `forged-${sort}`,
    says: `an annotation that inflates to ${size} of ${sort.replace("-", " ")}, read 100 times at v1beta1`,
    arm: () => {
      const text = `{"hub":{${tree()}}}`;
      if (text.length > 16 * 2 ** 20)
        throw new Error(`${sort}: ${text.length} bytes would be refused unread`);
      const deflated = deflateRawSync(text, { level: 9 }).toString("base64");
      const carrier = JSON.stringify(JSON.stringify({ format: 1, deflated }));
      const annotations = `"antechamber.dev/conversion-data-0123456789":${carrier}`;
      const body = conversionOf([roomText("living-room", { annotations })]);
      return async (target) => `${counted(await repeated(target, body, 100))} (${body.length} bytes each)`;
    },
  };
}

async function repeated(target: Target, body: Buffer, count: number): Promise<readonly string[]> {
  const agent = new https.Agent({ keepAlive: true, maxSockets: 10, ca: target.ca });
  const answers = await Promise.all(
    Array.from({ length: count }, () => post(target, "convert", body, agent)),
  );
  agent.destroy();
  return answers;
}

/** Pods of the maximum size of an API server. */
export const pods: readonly Attack[] = [
  once("pod-env", "a pod with 50,000 environment variables", "mutate", () =>
    podAdmissionOf(
      podText({
        env: times(50_000, (index) => `{"name":"VARIABLE_${index}","value":"a value of some length"}`),
      }),
    ),
  ),
  once("pod-volumes", "a pod with 50,000 volumes", "mutate", () =>
    podAdmissionOf(
      podText({
        volumes: times(50_000, (index) => `{"name":"volume-${index}","emptyDir":{"medium":"Memory"}}`),
      }),
    ),
  ),
  once("pod-containers", "a pod with 20,000 containers", "mutate", () =>
    podAdmissionOf(
      podText({
        more: times(20_000, (index) => `{"name":"more-${index}","image":"registry.example/more:1"}`),
      }),
    ),
  ),
];

function podText({
  env = "",
  volumes = "",
  more = "",
}: {
  env?: string;
  volumes?: string;
  more?: string;
}): string {
  const metadata = '{"name":"shop","namespace":"default","labels":{"app":"shop"}}';
  const container = `{"name":"shop","image":"registry.example/shop:7","resources":{},"env":[${env}]}`;
  const containers = `[${container}${more === "" ? "" : `,${more}`}]`;
  return `{"kind":"Pod","apiVersion":"v1","metadata":${metadata},"spec":{"volumes":[${volumes}],"containers":${containers}}}`;
}

/** Attacks that must have no lasting effect. */
export const traces: readonly Attack[] = [
  {
    name: "backslash-key",
    says: "keys that end in a backslash, 21 objects to each endpoint; then 5,000 small reviews, as before it",
    arm: () => backslashes,
  },
];

async function backslashes(target: Target): Promise<string> {
  await timed(target);
  const before = Math.min(await timed(target), await timed(target));
  const key = '"key\\\\":"\\\\"';
  const rooms = [
    roomText("living-room", { spec: accessory(key) }),
    roomText("living-room", { spec: key }),
    roomText("living-room", { annotations: key }),
  ];
  const answers: string[] = [];
  for (const one of Array.from({ length: 7 }, () => rooms).flat()) {
    answers.push(await post(target, "convert", conversionOf([one])));
    answers.push(await post(target, "mutate", admissionOf(one)));
    answers.push(await post(target, "validate", admissionOf(one)));
  }
  const after = Math.min(await timed(target), await timed(target));
  return `${counted(answers)}; small reviews take ${(after / before).toFixed(2)} times as long afterwards`;
}

/** The time of 5,000 small reviews over eight connections, in ms. */
async function timed({ port, ca }: Target): Promise<number> {
  const connections = await Connection.openMany(8, port, ca);
  const begun = performance.now();
  // As an API server stores a Room: managedFields, whose keys contain escapes.
  const managed = times(20, (index) => JSON.stringify(`k:{"name":"lamp-${index}"}`).concat(':{"f:name":{}}'));
  const fields = `"fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:lights":{${managed}}}}`;
  const entry = `{"manager":"kubectl","operation":"Apply","apiVersion":"home.antechamber.dev/v1",${fields}}`;
  const room = roomText("living-room").replace('"metadata":{', `"metadata":{"managedFields":[${entry}],`);
  const body = conversionOf([room]).toString();
  await askAll(connections, requestOf("/convert?timeout=30s", body), 5_000);
  const milliseconds = performance.now() - begun;
  for (const connection of connections) connection.close();
  return milliseconds;
}
