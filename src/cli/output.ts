import type { Json } from "../json/json.ts";
import { writeYaml } from "../yaml/yaml.ts";

/** Objects as YAML documents, or as one JSON object; several objects are the items of a List. */
export function formatObjects(objects: readonly Json[], format: "yaml" | "json"): string {
  if (format === "yaml") return objects.map(writeYaml).join("---\n");
  const [only, ...more] = objects;
  const document =
    only !== undefined && more.length === 0
      ? only
      : { apiVersion: "v1", kind: "List", metadata: {}, items: objects };
  return `${JSON.stringify(document, null, 2)}\n`;
}
