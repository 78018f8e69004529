import { X509Certificate } from "node:crypto";
import path from "node:path";
import { certificateBlocks, checkCertificates } from "../../../certs/keypair.ts";
import { readSmallFile } from "../../../certs/reading.ts";
import { UsageError } from "../../errors.ts";
import type { JsonObject } from "../../json/json.ts";
import type { Kind, Kinds } from "../../kind/kind.ts";
import { kindsOf, loadKinds } from "../../kind/load-kinds.ts";
import { crdName } from "../../manifests/crd.ts";
import type { Reach } from "../../manifests/reach.ts";
import { typesOf } from "../../manifests/types.ts";
import { type InputIo, readInput } from "../../offline/input.ts";
import { isXrd } from "../../offline/xrd.ts";
import { withXrd } from "../../offline/xrd-of-crds.ts";
import { compareWithCluster } from "../crd-comparison.ts";
import { installationName } from "../installation.ts";
import { serviceOf } from "../service-option.ts";
import { chartCandidates, chartFiles } from "./chart-files.ts";
import {
  applyChanges,
  changesOf,
  foldersBelow,
  type GeneratedFile,
  rejectChanges,
  typesHeader,
} from "./generated.ts";
import {
  componentFiles,
  configurationsOf,
  crdsOf,
  manifestFiles,
  manifestsIn,
  yamlOf,
} from "./manifest-files.ts";
import { staticFiles, staticFilesIn } from "./static-files.ts";

/** The options of `antechamber manifests`. */
interface ManifestsOptions {
  readonly webhooks: readonly string[];
  /** Kinds that can be installed apart, as `name=folder,folder`; then `webhooks` is not read. */
  readonly component?: readonly string[];
  /** Folder for the manifests; without it they are printed. */
  readonly out?: string;
  /** Folder of a Helm chart whose templates are written as well. */
  readonly chart?: string;
  /** Files with XRDs of Crossplane, which then take the place of the CRDs that Crossplane makes of them. */
  readonly xrd?: readonly string[];
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
  /** Folder for webhook configurations that an API server reads from its disk, instead of those of its API. */
  readonly static?: string;
  /** Name of the installation, which its webhook configurations have; by default that of the kinds' project. */
  readonly name?: string;
  /** A kubeconfig: what its cluster has is compared first. */
  readonly kubeconfig?: string;
}

/** The input and output of `antechamber manifests`: results go to `print`, messages to `note`. */
interface ManifestsIo extends InputIo {
  readonly print: (text: string) => void;
  readonly note: (line: string) => void;
}

/** Prints or writes the CRDs, webhook configurations and types of all kinds, or checks that the files are up to date. */
export async function manifests(options: ManifestsOptions, io: ManifestsIo): Promise<void> {
  const { check, out, chart, static: onDisk, types, url } = options;
  if (check && out === undefined && chart === undefined && onDisk === undefined && !types) {
    throw new UsageError(
      "--check has nothing to compare; add --out <folder>, --static <folder>, --chart <folder> or --types",
    );
  }
  if (onDisk !== undefined && url === undefined) {
    throw new UsageError(
      "--static needs --url: an API server accepts webhook configurations from its disk only with a URL",
    );
  }
  const parts = componentsOf(options);
  const webhooks = parts?.flatMap(({ folders }) => folders) ?? options.webhooks;
  const name = await installationName(options.name, webhooks);
  const reach = await reachOf(options);
  const kinds = sorted(await loadKinds(webhooks));
  const components = parts?.map((part) => ({ ...part, kinds: within(kinds, part.folders) }));
  const configurations = configurationsOf(kinds, name, reach);
  // An API server that has a configuration from its disk and from its API calls each webhook twice.
  const applied = options.static === undefined ? configurations : [];
  const crds = crdsOf(kinds, name, reach);
  if (options.kubeconfig !== undefined) {
    await compareWithCluster(kinds.all, [...crds, ...applied], name, options.kubeconfig, io);
  }
  const written = await withXrds(crds, options.xrd ?? [], io);
  if (options.out === undefined && options.chart === undefined && !options.check)
    io.print(yamlOf([...written, ...applied]));
  const filesFor = (out: string) =>
    components === undefined
      ? manifestFiles(kinds, name, reach, { crds: written, configurations: applied }, out)
      : componentFiles(components, name, serviceOf(options.service), out);
  const wanted = [
    ...(options.out === undefined ? [] : filesFor(options.out)),
    ...(options.static === undefined ? [] : staticFiles(configurations, options.static)),
    ...(options.chart === undefined ? [] : chartFiles(components ?? [], options.chart)),
    ...(options.types ? kinds.all.map(typesFile) : []),
  ];
  const changes = await changesOf(wanted, await candidatesOf({ ...options, webhooks }));
  if (options.check) rejectChanges(changes);
  else await applyChanges(changes, io.note);
}

/**
 * The CRDs with XRDs in place of those that Crossplane makes.
 * @throws {UsageError} if there is no XRD in the files, or Crossplane would make other CRDs of one
 */
async function withXrds(
  crds: readonly JsonObject[],
  files: readonly string[],
  io: InputIo,
): Promise<readonly JsonObject[]> {
  const xrds = (await readInput(files, io)).filter(({ value }) => isXrd(value));
  if (files.length > 0 && xrds.length === 0)
    throw new UsageError(`--xrd ${files.join(" ")}: no CompositeResourceDefinition of Crossplane found`);
  return xrds.reduce((printed, { source, value }) => withXrd(printed, source, value), crds);
}

/** The names and folders of components. Throws UsageError for what is none, and where a component has no Service to add to. */
function componentsOf({ component, url, out, chart, xrd }: ManifestsOptions) {
  if (xrd !== undefined && (component ?? chart) !== undefined)
    throw new UsageError("--xrd and --component or --chart exclude each other: Crossplane writes these CRDs");
  if (component === undefined && chart !== undefined)
    throw new UsageError(
      "--chart needs to know what a value of the chart includes: add --component <name=folder>, such as blinds=webhooks",
    );
  if (component === undefined) return undefined;
  if (url !== undefined)
    throw new UsageError("--component and --url exclude each other: a component adds to a Deployment");
  if (out === undefined && chart === undefined)
    throw new UsageError("--component writes folders: add --out <folder> or --chart <folder>");
  return component.map((text) => {
    const [, name = "", folders = ""] = /^([a-z][a-z0-9]{0,39})=(.+)$/.exec(text) ?? [];
    if (name !== "") return { name, folders: folders.split(",") };
    throw new UsageError(
      `--component ${text}: write it like home=webhooks/home, or home=webhooks/a,webhooks/b`,
    );
  });
}

/** The kinds in some folders. */
function within(kinds: Kinds, folders: readonly string[]): Kinds {
  const isWithin = ({ folder }: { readonly folder: string }) =>
    folders.some((each) => !path.relative(each, folder).startsWith(".."));
  return kindsOf(kinds.all.filter(isWithin), kinds.natives.filter(isWithin));
}

/** Sorted by name: the generated files must not depend on folder names. */
function sorted({ all, natives }: Kinds): Kinds {
  return kindsOf(
    all.toSorted((a, b) => (crdName(a) < crdName(b) ? -1 : 1)),
    natives,
  );
}

function typesFile(kind: Kind): GeneratedFile {
  const file = path.relative("", path.join(kind.folder, "types.ts"));
  return { file, content: `${typesHeader}${typesOf(kind)}` };
}

/** The files that an earlier run may have generated, also for kinds that no longer exist. */
async function candidatesOf(options: ManifestsOptions): Promise<readonly string[]> {
  const { out, static: onDisk, chart, types, webhooks } = options;
  const manifests = [
    ...(out === undefined ? [] : await manifestsIn(out)),
    ...(onDisk === undefined ? [] : await staticFilesIn(onDisk)),
    ...(chart === undefined ? [] : await chartCandidates(chart)),
  ];
  if (!types) return manifests;
  const folders = (await Promise.all(webhooks.map((folder) => foldersBelow(folder)))).flat();
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
