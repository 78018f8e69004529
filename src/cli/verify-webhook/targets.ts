import { type Ask, type Subject, subjectOf } from "../../checks/index.ts";
import type { WebhookAddress } from "../../cluster/api/webhook-client.ts";
import { UsageError } from "../../errors.ts";
import { isObject, type JsonObject } from "../../json/json.ts";
import { rejectedCrd } from "../../offline/crd-input.ts";
import type { InputIo } from "../../offline/input.ts";
import { type CrdModel, crdModelOf } from "../../schema/model/crd.ts";
import { pemText } from "../pem-file.ts";
import type { Place } from "../reports/report.ts";

/** Where the webhook and its CRDs are. */
export interface TargetOptions {
  readonly url?: string;
  /** Files with CRDs. */
  readonly crd: readonly string[];
  /** Names of kinds, plurals or CRDs; empty for all. */
  readonly kind: readonly string[];
  readonly ca?: string;
  readonly insecure: boolean;
  readonly serverName?: string;
  readonly clientCert?: string;
  readonly clientKey?: string;
  /** Milliseconds for one review. */
  readonly timeout: number;
  /** Files with objects to try. */
  readonly file: readonly string[];
  /** Files with older revisions of the CRDs. */
  readonly stored: readonly string[];
  /** A kubeconfig; `true` for the default one. */
  readonly kubeconfig?: string | true;
  /** How many objects of each kind and version are taken from the cluster. */
  readonly objects: number;
}

/** An object from a file or a cluster. */
export interface GivenObject {
  readonly source: string;
  readonly value: JsonObject;
  /** Absent if it comes from a cluster. */
  readonly place?: Place;
}

/** A kind and how its webhook is asked. */
export interface Target {
  readonly subject: Subject;
  readonly ask: Ask;
  readonly examples: readonly JsonObject[];
  /** Where the CRD is. */
  readonly place?: Place;
  /** An older revision of it. */
  readonly stored?: Subject;
}

/** What is to be checked. */
export interface Targets {
  readonly webhook: string;
  readonly targets: readonly Target[];
  readonly close: () => void;
}

/** What finding targets needs of the process. */
export interface TargetIo extends InputIo {
  readonly note: (line: string) => void;
}

/** The address of a webhook with the files that the options name. Throws UsageError. */
export async function addressOf(
  url: string,
  options: Pick<TargetOptions, "ca" | "insecure" | "serverName" | "clientCert" | "clientKey" | "timeout">,
): Promise<WebhookAddress> {
  if (!URL.canParse(url) || new URL(url).protocol !== "https:")
    throw new UsageError(`--url ${url}: not an https URL; write it like https://127.0.0.1:9443/convert`);
  const { clientCert, clientKey } = options;
  if ((clientCert === undefined) !== (clientKey === undefined))
    throw new UsageError("--client-cert and --client-key belong together");
  return {
    url,
    ca: await pemText("--ca", options.ca),
    cert: await pemText("--client-cert", clientCert),
    key: await pemText("--client-key", clientKey),
    insecure: options.insecure,
    serverName: options.serverName,
    timeout: options.timeout,
  };
}

/** The kinds of CRDs that have several versions, with the examples of each. Throws UsageError. */
export function subjectsOf(
  crds: readonly GivenObject[],
  words: readonly string[],
  given: readonly GivenObject[],
  { note }: TargetIo,
): readonly (Omit<Target, "ask"> & { readonly crd: CrdModel })[] {
  const read = crds.map((each) => ({ ...each, crd: crdModelOf(each.value) }));
  const chosen = read.filter(({ crd }) => words.length === 0 || words.some((word) => isNamed(crd, word)));
  const names = read.map(({ crd }) => crd.metadata.name).join(", ");
  if (chosen.length === 0)
    throw new UsageError(`--kind ${words.join(", ")}: unknown kind; known kinds are ${names}`);
  const several = chosen.filter(({ crd: { metadata, spec } }) => {
    const isSeveral = spec.versions.length > 1;
    if (!isSeveral) note(`${metadata.name} has a single version: there is nothing to convert`);
    return isSeveral;
  });
  if (several.length === 0) throw new UsageError("no CRD with several versions: there is nothing to convert");
  return several.map(({ source, value, place, crd }) => {
    const examples = given.map((each) => each.value).filter((each) => isOf(each, crd));
    const found = subjectOf(value, examples);
    if ("subject" in found)
      return { subject: found.subject, crd, examples, ...(place === undefined ? {} : { place }) };
    throw rejectedCrd(source, value, found.causes);
  });
}

/** Targets with the older revisions of their CRDs. Throws UsageError. */
export function withStored(targets: readonly Target[], older: readonly GivenObject[]): readonly Target[] {
  const revisions = older.map(({ source, value }) => {
    const read = subjectOf(value);
    if ("causes" in read) throw rejectedCrd(`--stored ${source}`, value, read.causes);
    return read.subject;
  });
  const unknown = revisions.filter(({ name }) => !targets.some(({ subject }) => subject.name === name));
  if (unknown.length > 0)
    throw new UsageError(
      `--stored: ${unknown.map(({ name }) => name).join(", ")} is not among the kinds that are checked`,
    );
  return targets.map((target) => {
    const stored = revisions.find(({ name }) => name === target.subject.name);
    return stored === undefined ? target : { ...target, stored };
  });
}

function isNamed({ metadata, spec: { names } }: CrdModel, word: string): boolean {
  return [metadata.name, names.kind, names.plural].some((name) => name.toLowerCase() === word.toLowerCase());
}

function isOf(object: JsonObject, { spec: { group, names } }: CrdModel): boolean {
  return (
    isObject(object.metadata) &&
    object.kind === names.kind &&
    String(object.apiVersion).startsWith(`${group}/`)
  );
}
