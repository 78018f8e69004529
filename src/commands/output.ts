import type { Json } from "../json/json.ts";
import { writeYaml } from "../json/yaml.ts";

/** Objects as a command prints them: YAML documents, or one JSON object; several are the items of a List. */
export function formatObjects(objects: readonly Json[], format: "yaml" | "json"): string {
  if (format === "yaml") return objects.map(writeYaml).join("---\n");
  const [only, ...more] = objects;
  const whole =
    only !== undefined && more.length === 0
      ? only
      : { apiVersion: "v1", kind: "List", metadata: {}, items: objects };
  return `${JSON.stringify(whole, null, 2)}\n`;
}
