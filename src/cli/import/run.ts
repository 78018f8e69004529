import path from "node:path";
import { draftKind } from "../../draft/kind-files.ts";
import { UsageError } from "../../errors.ts";
import { InvalidKinds, loadKinds } from "../../kind/load-kinds.ts";
import { crdsIn } from "../../offline/crd-import.ts";
import { withoutCrd } from "../../offline/crd-input.ts";
import { type InputIo, type InputText, readTexts } from "../../offline/input.ts";
import type { Gauge } from "../console.ts";
import { commandName } from "../dependency.ts";
import { writeNewFiles } from "../new-files.ts";
import { importReport, type PlacedCrd } from "./report.ts";

/** The options of `antechamber import`. */
interface ImportOptions {
  /** Folder for the kinds; each gets `<out>/<group>/<kind>`. */
  readonly out: string;
  /** The versions, oldest first; by default in the order of Kubernetes. */
  readonly order?: readonly string[];
  /** Whether nothing is written. */
  readonly dryRun: boolean;
  /** Whether existing files are replaced. */
  readonly force: boolean;
}

/** The input and output of `antechamber import`: the report is printed, files and progress are noted. */
interface ImportIo extends InputIo, Gauge {
  readonly print: (line: string) => void;
}

/**
 * Makes the folders of kinds from CRDs: a YAML file, an example and a draft of a lens for each version. Throws UsageError for
 * what is not a CRD that an API server accepts, and for files that exist.
 */
export async function importCrds(
  files: readonly string[],
  options: ImportOptions,
  io: ImportIo,
): Promise<void> {
  // A large CRD takes some seconds.
  const { rewrite = () => {} } = io;
  rewrite(`reading ${files.join(", ")}`);
  const texts = await readTexts(files, io).finally(() => rewrite(""));
  const crds = texts.flatMap((text) => notedCrds(text, options, io));
  if (crds.length === 0) throw withoutCrd(files.join(", "));
  rejectTwins(crds);
  const command = await commandName();
  for (const crd of crds) {
    rewrite(`drafting ${crd.names.kind}`);
    const draft = draftKind(crd.names, crd.versions);
    rewrite("");
    await writeNewFiles(crd.folder, draft.files, options, io);
    for (const line of importReport(crd, draft, { isDryRun: options.dryRun, command })) io.print(line);
    if (!options.dryRun) await checkStart(crd.folder);
  }
}

function notedCrds(text: InputText, options: ImportOptions, { note }: ImportIo): readonly PlacedCrd[] {
  const { crds, others } = crdsIn(text, options);
  if (others > 0) note(`${text.file}: ${others} other ${others === 1 ? "object" : "objects"} skipped`);
  return crds.map((crd) => {
    const { group, kind } = crd.names;
    return { ...crd, folder: path.join(options.out, group, kind.toLowerCase()) };
  });
}

function rejectTwins(crds: readonly PlacedCrd[]): void {
  const twice = [...Map.groupBy(crds, ({ folder }) => folder)].find(([, these]) => these.length > 1);
  if (twice !== undefined)
    throw new UsageError(`${twice[0]}: ${twice[1].length} CRDs define this kind; import one of them`);
}

/** Loads the kind, as every command will. */
async function checkStart(folder: string): Promise<void> {
  try {
    await loadKinds([folder]);
  } catch (error) {
    if (!(error instanceof InvalidKinds)) throw error;
    throw new UsageError(`the files were written, but the kind does not load yet: ${error.message}`);
  }
}
