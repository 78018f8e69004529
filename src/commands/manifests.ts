import { X509Certificate } from "node:crypto";
import path from "node:path";
import { certificateBlocks, checkCertificates } from "../../certs/keypair.ts";
import { readSmallFile } from "../../certs/reading.ts";
import { isDNS1123Subdomain } from "../apimachinery/names.ts";
import type { Kind } from "../kind/kind.ts";
import { loadKinds } from "../kind/load-kinds.ts";
import { crdName } from "../manifests/crd.ts";
import type { Reach } from "../manifests/reach.ts";
import { typesOf } from "../manifests/types.ts";
import { compareWithCluster } from "./crd-comparison.ts";
import { UsageError } from "./errors.ts";
import {
  applyChanges,
  changesOf,
  foldersIn,
  type GeneratedFile,
  rejectChanges,
  typesHeader,
} from "./generated.ts";
import { documentsOf, manifestFiles, manifestsIn, yamlOf } from "./manifest-files.ts";
import { serviceOf } from "./service-option.ts";

/** The options of `antechamber manifests`. */
export interface ManifestsOptions {
  readonly webhooks: readonly string[];
  /** Folder for the manifests; without it they are printed. */
  readonly out?: string;
  /** Whether each kind's `types.ts` is written as well. */
  readonly types: boolean;
  /** Whether files are compared instead of written. */
  readonly check: boolean;
  /** Namespace and name of the Service of the webhooks. */
  readonly service: string;
  /** URL at which an API server reaches the webhooks without a Service; it takes precedence over `service`. */
  readonly url?: string;
  /** PEM file of the CAs that the API server is to trust. */
  readonly ca?: string;
  /** Name of the webhook configurations. */
  readonly name: string;
  /** A kubeconfig: the CRDs of its cluster are compared first. */
  readonly kubeconfig?: string;
}

/** The input and output of `antechamber manifests`: results go to `print`, messages to `note`. */
export interface ManifestsIo {
  readonly print: (text: string) => void;
  readonly note: (line: string) => void;
}

/** Prints or writes the CRDs, webhook configurations and types of all kinds, or checks that the files are up to date. */
export async function manifests(options: ManifestsOptions, io: ManifestsIo): Promise<void> {
  if (options.check && options.out === undefined && !options.types) {
    throw new UsageError("--check has nothing to compare; add --out <folder>, --types or both");
  }
  if (!isDNS1123Subdomain(options.name)) {
    throw new UsageError(
      `--name ${options.name}: not a valid name of a webhook configuration; write it like antechamber`,
    );
  }
  const reach = await reachOf(options);
  const loaded = await loadKinds(options.webhooks);
  const kinds = { ...loaded, all: sortedByName(loaded.all) };
  if (options.kubeconfig !== undefined) await compareWithCluster(kinds.all, options.kubeconfig, io);
  if (options.out === undefined && !options.check) {
    io.print(yamlOf(documentsOf(kinds, options.name, reach)));
  }
  const wanted = [
    ...(options.out === undefined ? [] : manifestFiles(kinds, options.name, reach, options.out)),
    ...(options.types ? kinds.all.map(typesFile) : []),
  ];
  const changes = await changesOf(wanted, await candidatesOf(options));
  if (options.check) rejectChanges(changes);
  else await applyChanges(changes, io.note);
}

/** Sorted by name: the generated files must not depend on folder names. */
function sortedByName(kinds: readonly Kind[]): readonly Kind[] {
  return kinds.toSorted((a, b) => (crdName(a) < crdName(b) ? -1 : 1));
}

function typesFile(kind: Kind): GeneratedFile {
  const file = path.relative("", path.join(kind.folder, "types.ts"));
  return { file, content: `${typesHeader}${typesOf(kind)}` };
}

/** The files that an earlier run may have generated, also for kinds that no longer exist. */
async function candidatesOf({ out, types, webhooks }: ManifestsOptions): Promise<readonly string[]> {
  const manifests = out === undefined ? [] : await manifestsIn(out);
  if (!types) return manifests;
  const outer = (await Promise.all(webhooks.map(foldersIn))).flat();
  const folders = (await Promise.all(outer.map(foldersIn))).flat();
  return [...manifests, ...folders.map((folder) => path.relative("", path.join(folder, "types.ts")))];
}

async function reachOf(options: ManifestsOptions): Promise<Reach> {
  const ca = options.ca === undefined ? {} : { ca: await readBundle(options.ca) };
  if (options.url !== undefined) return { url: checkedUrl(options.url), ...ca };
  return { service: serviceOf(options.service), ...ca };
}

/** An API server accepts only https without user, query or fragment (apiserver, ValidateWebhookURL). */
function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:" || /[?#]/.test(text) || url.username !== "" || url.password !== "") {
    throw new UsageError(
      `--url ${text}: not a URL that an API server accepts; write it like https://host:9443`,
    );
  }
  return url.href.endsWith("/") ? url.href.slice(0, -1) : url.href;
}

/** Only the certificates of a file: a private key beside them must not end up in a manifest. */
async function readBundle(file: string): Promise<string> {
  const reading = await readSmallFile(file);
  if (reading.found !== "text") {
    throw new UsageError(`--ca ${reading.found === "fault" ? reading.fault : `${file} does not exist`}`);
  }
  const fault = checkCertificates(reading.text);
  if (fault !== undefined) throw new UsageError(`--ca ${file}: ${fault}`);
  return (certificateBlocks(reading.text) ?? [])
    .map((block) => new X509Certificate(block).toString())
    .join("");
}
