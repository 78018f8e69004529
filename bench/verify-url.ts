// How many objects a second `antechamber verify --url` sends through a conversion webhook in Go on loopback, with all that it
// does between: building the objects, validating them, reading and comparing the answers.
//   npm run bench:verify-url

import { haveTargets, startTarget, targetsLeftOut } from "../test/cluster/webhook-targets.ts";
import { antechamber } from "../test/support/cli.ts";

interface Figures {
  readonly kind: string;
  readonly objects: number;
  readonly reviews: number;
  readonly milliseconds: number;
}

const plurals = ["statefulsets", "daemonsets", "sidecarsets", "imagepulljobs", "nodeimages"];

if (!haveTargets()) throw new Error(targetsLeftOut);
const target = await startTarget("kruise");
try {
  console.log("OpenKruise's conversions, in Go\n");
  console.log(
    "kind                                objects  reviews  a second  of it waiting for the webhook",
  );
  for (const plural of plurals) console.log(await lineOf(plural));
} finally {
  await target.stop();
}

async function lineOf(plural: string): Promise<string> {
  const args = [
    "verify",
    "--url",
    target.url,
    "--ca",
    target.caFile,
    "--crd",
    target.crd(plural),
    "-o",
    "json",
  ];
  const begun = performance.now();
  const { stdout } = await antechamber([...args, "--seed", "1"]);
  const took = performance.now() - begun;
  const figures: readonly Figures[] = JSON.parse(stdout).kinds;
  const [
    { kind, objects, reviews, milliseconds } = { kind: plural, objects: 0, reviews: 0, milliseconds: 0 },
  ] = figures;
  const share = `${Math.round((100 * milliseconds) / took)} %`;
  const rate = Math.round((objects / took) * 1000);
  return `${kind.padEnd(34)} ${String(objects).padStart(8)} ${String(reviews).padStart(8)} ${String(rate).padStart(9)}  ${share}`;
}
