import path from "node:path";
import { get, type JsonObject, set } from "../json/json.ts";
import type { Kinds } from "../kind/kind.ts";
import { certificateAccess } from "../manifests/access.ts";
import { alertRules } from "../monitoring/alert-rules.ts";
import { dashboardConfigMap } from "../monitoring/dashboard.ts";
import { scrapeObjects } from "../monitoring/scrape.ts";
import { filesIn, type GeneratedFile, yamlHeader } from "./generated.ts";
import { documentsOf, yamlOf } from "./manifest-files.ts";

/**
 * The templates of a Helm chart that depend on the kinds: CRDs, webhook configurations, permissions for managed certificates, and
 * what monitors the pods. They are the documents of `manifests --out`, with the values of the chart in place of names. The chart's
 * own files are in `manifests/helm`.
 */
export function chartFiles(kinds: Kinds, folder: string): readonly GeneratedFile[] {
  const service = { namespace: namespaceMark, name: nameMark };
  const documents = documentsOf(kinds, nameMark, { service, ca: caMark }).map(annotated);
  const crds = documents.filter(isCrd);
  const monitoring = [alertRules(service), dashboardConfigMap(service), ...scrapeObjects(service)];
  const file = (name: string, text: string): GeneratedFile => ({
    file: path.join(folder, "templates", `${name}.yaml`),
    content: `${yamlHeader}${text}`,
  });
  return [
    ...crds.map((crd) => file(`crd-${String(get(crd, "metadata", "name"))}`, templateOf([crd]))),
    file("webhooks", templateOf(documents.filter((each) => !isCrd(each)))),
    file("certificates", onlyIf(managed, templateOf(certificateAccess(kinds, nameMark, service)))),
    file("monitoring", onlyIf(".Values.monitoring.enabled", templateOf(monitoring))),
  ];
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

function templateOf(documents: readonly JsonObject[]): string {
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
