import path from "node:path";
import { get, isArray, type Json, type JsonObject, set } from "../../json/json.ts";
import type { Kinds } from "../../kind/kind.ts";
import {
  certificateAccess,
  componentCertificateAccess,
  kindAccess,
  noKinds,
} from "../../manifests/access.ts";
import type { Reach } from "../../manifests/reach.ts";
import { monitoringObjects } from "../../monitoring/objects.ts";
import { filesIn, type GeneratedFile, yamlHeader } from "./generated.ts";
import { type Component, configurationsOf, crdsOf, yamlOf } from "./manifest-files.ts";

/**
 * The templates of a Helm chart that depend on the kinds: CRDs, webhook configurations, permissions for managed certificates, and
 * what monitors the pods. They are the documents of `manifests --out`, with the values of the chart in place of names. The chart's
 * own files are in `manifests/helm`.
 */
export function chartFiles(components: readonly Component[], folder: string): readonly GeneratedFile[] {
  const service = { namespace: namespaceMark, name: nameMark };
  const reach = { service, ca: caMark };
  const monitoring = Object.values(monitoringObjects(service)).flat();
  const file = (name: string, text: string): GeneratedFile => ({
    file: path.join(folder, "templates", name),
    content: `${yamlHeader}${text}`,
  });
  const crds = components.flatMap(({ name, kinds }) =>
    crdsOf(kinds, nameMark, reach).map((crd) =>
      file(`crd-${nameOf(crd)}.yaml`, onlyIf(isIncluded(name), templateOf([annotated(crd)]))),
    ),
  );
  const access = components.flatMap(({ name, kinds }) => [
    onlyIf(isIncluded(name), `---\n${templateOf(kindAccess(kinds, name, service))}`),
    onlyIf(
      `and ${isIncluded(name)} (${managed})`,
      `---\n${templateOf(componentCertificateAccess(kinds, nameMark, name, service))}`,
    ),
  ]);
  return [
    ...crds,
    file("webhooks.yaml", webhooksOf(components, reach)),
    file("kinds.yaml", access.join("")),
    file("_kinds.tpl", foldersOf(components)),
    file("certificates.yaml", onlyIf(managed, templateOf(certificateAccess(noKinds, nameMark, service)))),
    file("monitoring.yaml", onlyIf(".Values.monitoring.enabled", templateOf(monitoring))),
  ];
}

/** The condition under which a chart has the kinds of a component. */
function isIncluded(component: string): string {
  return `.Values.kinds.${component}`;
}

function nameOf(document: JsonObject): string {
  return String(get(document, "metadata", "name"));
}

/** The webhook configurations: that of all kinds with the entries of those that are included, then those of native kinds. */
function webhooksOf(components: readonly Component[], reach: Reach): string {
  const configurations = (kinds: Kinds) => configurationsOf(kinds, nameMark, reach).map(annotated);
  const shared = configurations(noKinds).map((configuration) => {
    const entries = components.flatMap(({ name, kinds }) => {
      const same = configurations(kinds).find(
        (each) => each.kind === configuration.kind && nameOf(each) === nameMark,
      );
      const webhooks = get(same, "webhooks");
      return isArray(webhooks) && webhooks.length > 0
        ? [onlyIf(isIncluded(name), templateOf([webhooks]))]
        : [];
    });
    const head = templateOf([configuration]).replace(/^webhooks: \[\]\n/m, "webhooks:\n");
    const any = components.map(({ name }) => isIncluded(name)).join(" ");
    return onlyIf(`or ${any}`, [`---\n${head}`, ...entries].join(""));
  });
  const natives = components.flatMap(({ name, kinds }) =>
    configurations(kinds)
      .filter((each) => nameOf(each) !== nameMark)
      .map((each) => onlyIf(isIncluded(name), `---\n${templateOf([each])}`)),
  );
  return [...shared, ...natives].join("");
}

/** The folders of kinds that the service is to load. */
function foldersOf(components: readonly Component[]): string {
  const folders = components.map(({ name, folders }) =>
    onlyIf(isIncluded(name), folders.map((folder) => `- ${folder}\n`).join("")),
  );
  return `{{- define "antechamber.kinds" -}}\n${folders.join("")}{{- end }}\n`;
}

/** The existing files among which generated ones may be. */
export function chartCandidates(folder: string): Promise<readonly string[]> {
  return filesIn(path.join(folder, "templates"));
}

const managed = 'eq .Values.certificates.source "managed"';
const own = 'eq .Values.certificates.source "own"';
const certManager = 'eq .Values.certificates.source "cert-manager"';

// What stands for a value while the documents are made; no document has these texts otherwise.
const namespaceMark = "NAMESPACE-OF-THE-RELEASE";
const nameMark = "NAME-OF-THE-RELEASE";
const caMark = "CA-OF-THE-RELEASE";
const annotationMark = "ANNOTATIONS-OF-THE-RELEASE";

function isCrd({ kind }: JsonObject): boolean {
  return kind === "CustomResourceDefinition";
}

/** `helm uninstall` must not delete a CRD, and with it all objects. */
function annotated(document: JsonObject): JsonObject {
  const kept = isCrd(document) ? { "helm.sh/resource-policy": "keep" } : {};
  return set(document, "metadata", "annotations", { ...kept, [annotationMark]: annotationMark });
}

function templateOf(documents: readonly Json[]): string {
  const encodedCa = Buffer.from(caMark).toString("base64");
  return yamlOf(documents)
    .replaceAll("{{", '{{ "{{" }}')
    .replaceAll(
      new RegExp(`^( *)caBundle: ${encodedCa}\n`, "gm"),
      onlyIf(own, "$1caBundle: {{ .Values.certificates.caBundle }}\n"),
    )
    .replaceAll(
      new RegExp(`^  annotations:\n    ${annotationMark}: .*\n`, "gm"),
      onlyIf(certManager, `  annotations:\n${injected}`),
    )
    .replaceAll(new RegExp(`^    ${annotationMark}: .*\n`, "gm"), onlyIf(certManager, injected))
    .replaceAll(
      new RegExp(`^( *)- ${namespaceMark}\n`, "gm"),
      (line, indent: string) => `${line}${onlyIf(certManager, `${indent}- cert-manager\n`)}`,
    )
    .replaceAll(namespaceMark, "{{ .Release.Namespace }}")
    .replaceAll(nameMark, "{{ .Values.name }}");
}

/** cert-manager's own pods must start before it has issued the certificate; this annotation makes it write the caBundle. */
const injected = `    cert-manager.io/inject-ca-from: ${namespaceMark}/${nameMark}\n`;

function onlyIf(condition: string, text: string): string {
  return `{{- if ${condition} }}\n${text}{{- end }}\n`;
}
