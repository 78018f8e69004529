import { UsageError } from "../errors.ts";
import { equal } from "../json/equal.ts";
import { get, hasNoFields, isObject, type JsonObject, listAt, objectAt, set, textAt } from "../json/json.ts";
import { crdsOfXrd } from "./xrd.ts";

/**
 * CRDs with an XRD in place of those that Crossplane makes of it: Crossplane writes them in full, again and again, so that their
 * schemas and conversion must come from there.
 * @throws {UsageError} if Crossplane would make others of it
 */
export function withXrd(crds: readonly JsonObject[], source: string, xrd: JsonObject): readonly JsonObject[] {
  const made = crdsOfXrd(source, xrd).map(nameOf);
  const theirs = made.map((name) => crds.find((crd) => nameOf(crd) === name));
  const missing = made.find((_, at) => theirs[at] === undefined);
  if (missing !== undefined)
    throw new UsageError(
      `${source}: Crossplane makes ${missing} of it, of which there is no kind; import it first`,
    );
  const [composite = {}] = theirs;
  const filled = filledXrd(source, xrd, composite);
  for (const crd of crdsOfXrd(source, filled)) rejectDifference(source, crd, theirs);
  return crds.flatMap((crd) => (crd === composite ? [filled] : theirs.includes(crd) ? [] : [crd]));
}

/** The XRD with the versions and the conversion of the CRD of its composite resources. */
function filledXrd(source: string, xrd: JsonObject, { metadata, spec }: JsonObject): JsonObject {
  const bare = { name: "bare", schema: { openAPIV3Schema: {} } };
  const [empty] = crdsOfXrd(source, set(xrd, "spec", { ...objectAt(xrd, "spec"), versions: [bare] }));
  const [added] = listAt(empty, "spec", "versions");
  const versions = listAt(spec, "versions").map((version) => ownPart(objectAt(version), objectAt(added)));
  const labels = { ...objectAt(xrd, "metadata", "labels"), ...objectAt(metadata, "labels") };
  return {
    ...xrd,
    metadata: { ...objectAt(xrd, "metadata"), labels },
    spec: { ...objectAt(xrd, "spec"), conversion: objectAt(spec, "conversion"), versions },
  };
}

/** A version of a CRD as an XRD has it: without what Crossplane adds. */
function ownPart(version: JsonObject, added: JsonObject): JsonObject {
  const { storage, subresources, additionalPrinterColumns, schema, ...rest } = version;
  const root = objectAt(schema, "openAPIV3Schema");
  const [columns, theirs] = [version, added].map((each) => listAt(each, "additionalPrinterColumns"));
  const own = (columns ?? []).filter((column) => !theirs?.some((each) => equal(each, column)));
  const scale = get(subresources, "scale");
  const part = (name: string) =>
    without(
      objectAt(root, "properties", name),
      objectAt(added, "schema", "openAPIV3Schema", "properties", name),
    );
  const metadata = part("metadata");
  const properties = { spec: part("spec"), status: part("status") };
  return {
    ...rest,
    referenceable: storage === true,
    ...(own.length > 0 ? { additionalPrinterColumns: own } : {}),
    ...(scale === undefined ? {} : { subresources: { scale } }),
    schema: {
      openAPIV3Schema: {
        ...root,
        properties: hasNoFields(objectAt(metadata, "properties")) ? properties : { metadata, ...properties },
      },
    },
  };
}

/** The schema of an object without the fields that Crossplane adds as they are. */
function without(schema: JsonObject, added: JsonObject): JsonObject {
  const fields = Object.entries(objectAt(schema, "properties")).filter(
    ([name, field]) => !equal(field, get(added, "properties", name)),
  );
  return { ...schema, properties: Object.fromEntries(fields) };
}

function rejectDifference(source: string, made: JsonObject, crds: readonly (JsonObject | undefined)[]): void {
  const wanted = crds.find((crd) => nameOf(crd) === nameOf(made));
  const versions = listAt(wanted, "spec", "versions");
  const other = listAt(made, "spec", "versions").find((version, at) => !equal(version, versions[at]));
  if (other !== undefined)
    throw new UsageError(
      `${source}: Crossplane would make another ${textAt(other, "name")} of ${nameOf(made)} than the kind has: it adds fields of its own, and claims have the same others as composite resources. Compare it with what import makes of the XRD`,
    );
}

function nameOf(object: JsonObject | undefined): string {
  return isObject(object) ? textAt(object, "metadata", "name") : "";
}
