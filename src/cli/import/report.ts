import type { DraftKind } from "../../draft/kind-files.ts";
import { lensFile } from "../../draft/kind-text.ts";
import { inWords, type Tally } from "../../draft/tally.ts";
import { listAt } from "../../json/json.ts";
import { remarksOnStatus } from "../../kind/required-status.ts";
import type { ImportedCrd } from "../../offline/crd-import.ts";
import { type CrdModel, hasStatus, isConverted, storageOf, versionModelOf } from "../../schema/model/crd.ts";

/** A CRD, and the folder of its kind. */
export interface PlacedCrd extends ImportedCrd {
  readonly folder: string;
}

/** What an author should know after the import of a CRD, line by line. */
export function importReport(
  crd: PlacedCrd,
  draft: DraftKind,
  { isDryRun, command }: { readonly isDryRun: boolean; readonly command: string },
): readonly string[] {
  const { names, versions, folder } = crd;
  const hub = versions.at(-1)?.name ?? "";
  return [
    `${names.kind}.${names.group} in ${folder}`,
    ...draft.lenses.flatMap(({ older, newer, tally, warnings }) => [
      ...lensLines(older, newer, tally),
      ...warnings.map((each) => `    ${each}`),
    ]),
    ...(versions.length === 1 ? [`  ${hub} is its only version: there is nothing to convert`] : []),
    ...storageLines(crd, hub),
    ...statusLines(crd),
    ...requiredLines(crd),
    ...conversionLines(crd),
    ...nameLines(crd),
    ...draft.withoutExample.map(
      (name) => `  no example of ${name} was found that its schema admits: write examples/${name}.yaml`,
    ),
    ...(isDryRun ? [] : nextLines(crd, draft, command)),
  ];
}

function lensLines(older: string, newer: string, tally: Tally): readonly string[] {
  return [`  ${older} to ${newer}: ${inWords(tally)}; only in ${newer}: ${tally.onlyNewer}`];
}

function storageLines({ crd }: ImportedCrd, hub: string): readonly string[] {
  const name = storageOf(crd);
  if (name === hub) return [];
  return [
    `  the CRD stores ${name}; this kind stores ${hub}, the newest version. After it is installed, antechamber migrate rewrites the objects`,
  ];
}

/** Without a status, carriers travel in an annotation alone. */
function statusLines({ versions }: ImportedCrd): readonly string[] {
  const without = versions.filter(({ entry }) => !hasStatus(versionModelOf(entry)));
  if (without.length === 0 || versions.length === 1) return [];
  const names = without.map(({ name }) => name).join(", ");
  return [
    `  ${names} without a status subresource: add subresources: { status: {} } where you can, since conversion keeps values there that clients drop from annotations (docs/explanation/conversion.md); without it antechamber verify may report broken laws`,
  ];
}

/** A status that requires fields holds no carrier before it has them. */
function requiredLines({ versions }: ImportedCrd): readonly string[] {
  if (versions.length === 1) return [];
  const requiring = versions.map(({ name, entry }) => {
    const required = listAt(entry, "schema", "openAPIV3Schema", "properties", "status", "required");
    return { name, required: hasStatus(versionModelOf(entry)) ? required.map(String) : [] };
  });
  return remarksOnStatus(requiring).map((each) => `  ${each}`);
}

function conversionLines({ crd, versions }: ImportedCrd): readonly string[] {
  if (!isConverted(crd) || versions.length === 1) return [];
  return [
    `  its conversion is a webhook already (${addressOf(crd)}): what its code does beyond the draft must come into the lenses.`,
    "  Until the new CRD is applied, that webhook stays in charge; keep it until antechamber serve is ready",
  ];
}

function addressOf({ spec: { conversion } }: CrdModel): string {
  const { url, service } = conversion.webhook?.clientConfig ?? {};
  return url ?? `service ${service?.namespace}/${service?.name}`;
}

/** What a kind.ts has no field for. */
function nameLines({ crd, names }: ImportedCrd): readonly string[] {
  const { singular, listKind } = crd.spec.names;
  const lower = names.kind.toLowerCase();
  return [
    ...(singular === lower ? [] : [`  its singular becomes ${lower} instead of ${singular}`]),
    ...(listKind === `${names.kind}List`
      ? []
      : [`  its listKind becomes ${names.kind}List instead of ${listKind}`]),
  ];
}

function nextLines({ folder }: PlacedCrd, { lenses }: DraftKind, command: string): readonly string[] {
  const open = lenses.filter(({ tally }) => tally.rows + tally.guesses + tally.left + tally.onlyNewer > 0);
  const files = open.map(({ older }) => lensFile(older)).join(", ");
  return [`  next: ${files === "" ? "" : `read and complete ${files}, then `}${command} verify ${folder}`];
}
