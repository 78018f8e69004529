import { get, isObject, type JsonObject, listAt, set } from "../json/json.ts";

/**
 * The label of generated objects that says which installation of Antechamber they belong to, so that two of them in one cluster
 * do not take over each other's webhook configurations.
 */
export const installationLabel = "antechamber.dev/installation";

/** The object with the label of an installation. */
export function ofInstallation(object: JsonObject, name: string): JsonObject {
  const metadata = isObject(object.metadata) ? object.metadata : {};
  const labels = isObject(metadata.labels) ? metadata.labels : {};
  return set(object, "metadata", { ...metadata, labels: { ...labels, [installationLabel]: name } });
}

/** The installation that an object of a cluster belongs to; undefined if it has no label, as before the label was introduced. */
export function installationOf(object: JsonObject): string | undefined {
  const name = get(object, "metadata", "labels", installationLabel);
  return typeof name === "string" ? name : undefined;
}

/** The names of the webhooks of a configuration. */
export function webhookNames(configuration: JsonObject): readonly string[] {
  return listAt(configuration, "webhooks").map((each) => String(get(each, "name")));
}
