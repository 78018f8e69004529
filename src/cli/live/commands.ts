import { groupVersionOf } from "../../apimachinery/resource.ts";
import { readServerVersion } from "../../cluster/api/requests.ts";
import { RejectedError } from "../../errors.ts";
import { get, type JsonObject, listAt } from "../../json/json.ts";
import { loadKinds } from "../../kind/load-kinds.ts";
import { crdsByKind, crdsOf, readCrds } from "../../offline/crds.ts";
import { type InputIo, readInput } from "../../offline/input.ts";
import { type Crd, type CrdOptions, type KubernetesVersion, nearestKubernetes } from "../../schema/index.ts";
import { asCreated } from "../created.ts";
import { askCluster, checkLive, type LiveIo, type LiveKind, type LiveOptions } from "./check.ts";
import { conversionFaults, convertedKinds } from "./conversion.ts";

/** The options of `validate --live`. */
interface ValidateLiveOptions extends LiveOptions, CrdOptions {
  readonly webhooks: readonly string[];
  readonly hasWebhooks: boolean;
  readonly crd?: readonly string[];
}

/**
 * Checks each stored object of a cluster as if it were created again: by the schema and the rules of the kinds or CRDs that are
 * given, which may be newer than those of the cluster.
 */
export async function validateLive(given: ValidateLiveOptions, io: LiveIo & InputIo): Promise<void> {
  const options = { ...given, kubernetesVersion: given.kubernetesVersion ?? (await releaseOf(given, io)) };
  const crdsGiven = crdsByKind(await readCrds(options.crd ?? [], io, options));
  const isNeeded = options.hasWebhooks || crdsGiven.size === 0;
  const own = isNeeded ? crdsOf((await loadKinds(options.webhooks)).all, options) : new Map<string, Crd>();
  const crds = new Map([...own, ...crdsGiven]);
  await checkLive([...crds.values()].map(validatedKind), options, io);
}

/** The release of the cluster, or the nearest one. */
async function releaseOf(options: ValidateLiveOptions, { note }: LiveIo): Promise<KubernetesVersion> {
  const version = await askCluster(options, readServerVersion);
  const nearest = nearestKubernetes(version);
  note(`the cluster runs Kubernetes ${version}: objects are checked as by v${nearest}`);
  return nearest;
}

function validatedKind(crd: Crd): LiveKind {
  return {
    crd: `${crd.plural}.${crd.group}`,
    kind: crd.kind,
    versions: crd.versions.filter(({ served }) => served).map(({ name }) => name),
    faults: (object) => {
      const { status } = crd.write({ object: asCreated(object), fieldValidation: "warn" });
      return status === undefined ? [] : sentencesOf(status);
    },
  };
}

function sentencesOf(status: JsonObject): readonly string[] {
  const listed = listAt(status, "details", "causes");
  if (listed.length === 0) return [String(get(status, "message"))];
  return listed.map((cause) => `${get(cause, "field")}: ${get(cause, "message")}`);
}

/** The options of `verify --live` and of `convert --check --live`. */
export interface ConvertLiveOptions extends LiveOptions {
  readonly webhooks: readonly string[];
  /** The only version to convert to; every version without it. */
  readonly to?: string;
}

/** Converts each stored object of a cluster to other versions and back, and reports what does not come back, or is invalid there. */
export async function convertLive(options: ConvertLiveOptions, io: LiveIo): Promise<void> {
  const { all } = await loadKinds(options.webhooks);
  await checkLive(convertedKinds(all, options.to), options, io);
}

/** The options of `convert --check`. */
export interface CheckOptions {
  readonly file: readonly string[];
  readonly webhooks: readonly string[];
  readonly to?: string;
}

/** The same for the objects in files; objects of other kinds are left out. Throws RejectedError if there are faults. */
export async function checkFiles(
  { file, webhooks, to }: CheckOptions,
  io: InputIo & Pick<LiveIo, "print" | "note">,
): Promise<void> {
  const kinds = await loadKinds(webhooks);
  const inputs = await readInput(file, io);
  let [checked, faulty] = [0, 0];
  for (const { source, value } of inputs) {
    const kind = kinds.find(groupVersionOf(String(value.apiVersion)).group, String(value.kind));
    if (kind === undefined) continue;
    checked++;
    const faults = conversionFaults(kind, value, to);
    if (faults.length === 0) continue;
    faulty++;
    io.print([source, ...faults.map((fault) => `  ${fault}`)].join("\n"));
  }
  io.note(`${checked} objects checked, ${faulty} with faults`);
  if (faulty > 0) throw new RejectedError(`${faulty} of ${checked} objects have faults`);
}
