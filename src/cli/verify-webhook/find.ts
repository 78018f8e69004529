import { webhookClient } from "../../cluster/api/webhook-client.ts";
import { UsageError } from "../../errors.ts";
import { shownPath } from "../../kind/fault.ts";
import { crdsAmong, withoutCrd } from "../../offline/crd-input.ts";
import { type InputObject, readInput } from "../../offline/input.ts";
import { clusterTargets } from "./cluster.ts";
import {
  addressOf,
  type GivenObject,
  subjectsOf,
  type TargetIo,
  type TargetOptions,
  type Targets,
  withStored,
} from "./targets.ts";

/** The kinds that are to be checked, from files or from a cluster. Throws UsageError. */
export async function targetsOf(options: TargetOptions, io: TargetIo): Promise<Targets> {
  const found = await presentTargets(options, io);
  const older = options.stored.length === 0 ? [] : crdsIn("--stored", await readInput(options.stored, io));
  return { ...found, targets: withStored(found.targets, older) };
}

async function presentTargets(options: TargetOptions, io: TargetIo): Promise<Targets> {
  const given = (await readInput(options.file, io)).map(givenObject);
  if (options.kubeconfig !== undefined) return clusterTargets(options, given, io);
  const { url } = options;
  if (url === undefined || options.crd.length === 0)
    throw new UsageError(
      "--url needs the CRDs of the kinds it converts: add --crd <file>, or use --kubeconfig",
    );
  const crds = crdsIn(options.crd.join(", "), await readInput(options.crd, io));
  const client = webhookClient(await addressOf(url, options));
  const targets = subjectsOf(crds, options.kind, given, io).map((each) => ({ ...each, ask: client.post }));
  return { webhook: url, targets, close: client.close };
}

function crdsIn(files: string, inputs: readonly InputObject[]): readonly GivenObject[] {
  const crds = crdsAmong(inputs);
  if (crds.length === 0) throw withoutCrd(files);
  return crds.map(givenObject);
}

function givenObject({ source, value, file, find }: InputObject): GivenObject {
  return {
    source,
    value,
    ...(file === "stdin" ? {} : { place: { file: shownPath(file), line: find().line } }),
  };
}
