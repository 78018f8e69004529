import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { subjectOf } from "../../src/checks/index.ts";
import { placesOf } from "../../src/checks/webhook/build.ts";
import { casesOf } from "../../src/checks/webhook/cases.ts";
import { drawn } from "../../src/checks/webhook/draw.ts";
import { finished } from "../../src/checks/webhook/pace.ts";
import { webhookClient } from "../../src/cluster/api/webhook-client.ts";
import { versionChainOf } from "../../src/conversion/version-chain.ts";
import { guardedKindOf } from "../../src/guard/guarded-kind.ts";
import { Upstream } from "../../src/guard/upstream.ts";
import { isObject, type JsonObject, listAt, set, textAt } from "../../src/json/json.ts";
import type { Example, Kind } from "../../src/kind/kind.ts";
import { readYaml, writeYaml } from "../../src/yaml/yaml.ts";
import { withCarrier } from "../cluster/guarded.ts";
import type { RunningTarget, TargetName } from "../cluster/webhook-targets.ts";
import { AskedLens, type Asker } from "./asked-lens.ts";
import { isValid } from "./life.ts";

/** Kinds of a webhook of another project that random clients live with. */
export interface Tried {
  readonly target: TargetName;
  readonly group: string;
  readonly plurals: readonly string[];
  /** Kinds that are left without the guard, to see that the judge finds what they lose. */
  readonly unguarded?: readonly string[];
  /** Versions of the CRD that this release of the webhook does not convert. */
  readonly unknown?: readonly string[];
  /** Annotations in which it carries data. */
  readonly carried?: readonly string[];
}

/** What random clients live with. */
export const tried: readonly Tried[] = [
  {
    target: "kruise",
    group: "apps.kruise.io",
    plurals: ["statefulsets", "broadcastjobs", "advancedcronjobs"],
    unguarded: ["daemonsets"],
  },
  {
    target: "external-snapshotter",
    group: "groupsnapshot.storage.k8s.io",
    plurals: ["volumegroupsnapshotcontents"],
    unknown: ["v1"],
  },
  {
    target: "cluster-api",
    group: "cluster.x-k8s.io",
    plurals: ["clusters", "machinedeployments", "machines", "machinehealthchecks"],
    unguarded: ["machinesets"],
    carried: ["cluster.x-k8s.io/conversion-data"],
  },
  { target: "tekton", group: "tekton.dev", plurals: ["tasks", "pipelines"], unguarded: ["stepactions"] },
];

/** The CRD of a kind as it is installed: only with versions that the webhook converts, and with a place for carriers. */
export function writeCrd(
  target: RunningTarget,
  plural: string,
  unknown: readonly string[],
  folder: string,
): string {
  const [document] = readYaml(readFileSync(target.crd(plural), "utf8"));
  if (!isObject(document?.value)) throw new Error(`${plural} has no CRD`);
  const known = listAt(document.value, "spec", "versions").filter(
    (version) => !unknown.includes(textAt(version, "name")),
  );
  const file = path.join(folder, `${plural}.yaml`);
  writeFileSync(file, writeYaml(withCarrier(set(document.value, "spec", "versions", known))));
  return file;
}

/** A kind whose judge asks the webhook itself; its examples are random objects that the webhook converts there and back. */
export function askedKind(file: string, asker: Asker, seed: number): Kind {
  const [document] = readYaml(readFileSync(file, "utf8"));
  const whole = isObject(document?.value) ? document.value : {};
  const storage = listAt(whole, "spec", "versions").find((each) => isObject(each) && each.storage === true);
  const crd = set(whole, "status", { storedVersions: [textAt(storage, "name")] });
  const kind = guardedKindOf(crd, file, {
    // The kind's versions and schemas are all that is used of it.
    upstream: new Upstream({
      url: "https://unasked",
      client: webhookClient({ url: "https://unasked", timeout: 1 }),
      reviews: "v1",
      clock: () => 0,
    }),
    carried: [],
    refused: "fail",
    sameFields: false,
  });
  const lens = new AskedLens(kind.definition.kind, kind.versions, asker);
  const asked = { ...kind, chain: versionChainOf(kind.versions, [], lens) };
  return { ...asked, examples: examplesOf(asked, crd, seed) };
}

const objectsTried = 60;
const mostExamples = 8;

function examplesOf(kind: Kind, crd: JsonObject, seed: number): readonly Example[] {
  const { name, versions } = kind;
  const read = subjectOf(crd);
  if ("causes" in read) throw new Error(`${name}: ${JSON.stringify(read.causes)}`);
  return versions.flatMap((version, from) => {
    const of = read.subject.versions.find((each) => each.name === version.name);
    if (of === undefined || !version.served) return [];
    const { cases } = finished(casesOf(of, placesOf(of.schema)));
    const objects = finished(drawn(of, cases, { seed, runs: objectsTried })).map((each) =>
      of.rules.default(each),
    );
    return objects
      .filter((object) => isValid(kind, version, object))
      .slice(0, mostExamples)
      .map((object) => ({ file: crd.kind as string, object, version: from }));
  });
}
