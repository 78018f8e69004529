import { UsageError } from "../errors.ts";
import { get, type JsonObject } from "../json/json.ts";
import type { SchemaCause } from "../schema/index.ts";
import type { InputObject } from "./input.ts";
import { crdsOfXrd, isXrd } from "./xrd.ts";

// CRDs among the objects of files, and what helps where they are none, or would be rejected.

/**
 * The CRDs among objects, and those that Crossplane makes of XRDs. Throws UsageError for one of an API that no API server serves
 * any more, and for an XRD of which Crossplane makes none.
 */
export function crdsAmong<Input extends InputObject>(inputs: readonly Input[]): readonly Input[] {
  return inputs.flatMap((input) => {
    const { source, value } = input;
    if (isXrd(value)) return crdsOfXrd(source, value).map((crd) => ({ ...input, value: crd }));
    if (value.kind !== "CustomResourceDefinition") return [];
    rejectOldApi(source, value);
    return [input];
  });
}

function rejectOldApi(source: string, { apiVersion }: JsonObject): void {
  if (apiVersion === "apiextensions.k8s.io/v1") return;
  if (apiVersion !== "apiextensions.k8s.io/v1beta1")
    throw new UsageError(
      `${source}: apiVersion ${JSON.stringify(apiVersion)} is not that of a CustomResourceDefinition; it must be apiextensions.k8s.io/v1`,
    );
  throw new UsageError(
    `${source}: apiextensions.k8s.io/v1beta1 was removed in Kubernetes 1.22; write the CRD as apiextensions.k8s.io/v1, with a structural schema for each version (kubectl get crd <name> -o yaml prints it so)`,
  );
}

/** That files hold no CRD. `more` is what would do, too. */
export function withoutCrd(files: string, more = ""): UsageError {
  return new UsageError(`${files}: no CustomResourceDefinition found${more}`);
}

/** That an API server would reject a CRD, with each reason in a line of its own. `before` comes before the field. */
export function rejectedCrd(
  source: string,
  crd: JsonObject,
  causes: readonly SchemaCause[],
  before: (field: string) => string = () => "",
): UsageError {
  const shown = causes.slice(0, mostFaults).map(({ field, message }) => {
    const where = field === "" ? "" : `${field}: `;
    return `\n  ${before(field)}${where}${message}${hintFor(field, message, crd)}`;
  });
  const more = causes.length - mostFaults;
  const rest = more > 0 ? `\n  and ${more} more` : "";
  return new UsageError(`${source}: an API server would reject this CRD:${shown.join("")}${rest}`);
}

const mostFaults = 20;

function hintFor(field: string, message: string, crd: JsonObject): string {
  if (/cannot unmarshal bool into .* of type string/.test(message) || /\[(?:true|false)\]/.test(field))
    return "; YAML reads true, yes, on and y, and their opposites, as booleans: put them in quotes";
  return message === "Required value" && /\.service\.(?:name|namespace)$/.test(field)
    ? swapped(field, crd)
    : "";
}

/** The API server confuses the two fields of a Service in what it says. */
function swapped(field: string, crd: JsonObject): string {
  const service = get(crd, "spec", "conversion", "webhook", "clientConfig", "service");
  const named = field.endsWith(".name") ? "name" : "namespace";
  const missing = ["name", "namespace"].find((key) => (get(service, key) ?? "") === "");
  return missing === undefined || missing === named ? "" : `; it is the ${missing} that is missing`;
}
