import { isObject, type JsonObject, set } from "../json/json.ts";

/** The plugins of an API server that call webhooks; each reads configurations of its own kind, and accepts no other file. */
const plugins = {
  MutatingAdmissionWebhook: { kind: "MutatingWebhookConfiguration", folder: "mutating" },
  ValidatingAdmissionWebhook: { kind: "ValidatingWebhookConfiguration", folder: "validating" },
} as const;

/** The folders from which an API server reads configurations, below the one that it is given. */
export const staticFolders: readonly string[] = Object.values(plugins).map(({ folder }) => folder);

/** A webhook configuration that an API server reads from its disk, and the folder for it. */
interface StaticConfiguration {
  readonly folder: string;
  readonly name: string;
  readonly document: JsonObject;
}

/** A configuration as an API server accepts it from its disk (apiserver, admission/plugin/manifest, StaticConfigSuffix). */
export function staticConfiguration(configuration: JsonObject): StaticConfiguration {
  const plugin = Object.values(plugins).find(({ kind }) => kind === configuration.kind);
  if (plugin === undefined) throw new Error(`${configuration.kind} is not a webhook configuration`);
  const metadata = isObject(configuration.metadata) ? configuration.metadata : {};
  const name = String(metadata.name);
  const document = set(configuration, "metadata", { ...metadata, name: `${name}.static.k8s.io` });
  return { folder: plugin.folder, name, document };
}

/**
 * The file for kube-apiserver's `--admission-control-config-file`, with paths of the folders, which must be absolute
 * (apiserver, admission/plugin/webhook/config/apis/webhookadmission/v1, WebhookAdmission).
 */
export function admissionConfiguration(pathOf: (folder: string) => string): JsonObject {
  return {
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "AdmissionConfiguration",
    plugins: Object.entries(plugins).map(([name, { folder }]) => ({
      name,
      configuration: {
        apiVersion: "apiserver.config.k8s.io/v1",
        kind: "WebhookAdmissionConfiguration",
        staticManifestsDir: pathOf(folder),
      },
    })),
  };
}
