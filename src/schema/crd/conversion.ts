import { faultsOfDNS1035Label, faultsOfDNS1123Subdomain } from "../../apimachinery/names.ts";
import type { ClientConfig, ConversionModel } from "../model/crd.ts";
import { forbidden, invalid, notSupported, required, type SchemaFault } from "../model/fault.ts";

/** What is wrong with the `conversion` of a CRD. Fields are named as in the API server's internal type. */
export function faultsOfConversion(
  { strategy, webhook }: ConversionModel,
  at: string,
): readonly SchemaFault[] {
  const { clientConfig: client, conversionReviewVersions: reviews = [] } = webhook ?? {};
  const faults: SchemaFault[] = [];
  if (strategy === "") faults.push(required(`${at}.strategy`));
  else if (strategy !== "None" && strategy !== "Webhook") {
    faults.push(notSupported(`${at}.strategy`, strategy, ["None", "Webhook"]));
  }
  if (strategy !== "Webhook") {
    const why = "should not be set when strategy is not set to Webhook";
    if (client !== undefined) faults.push(forbidden(`${at}.webhookClientConfig`, why));
    if (reviews.length > 0) faults.push(forbidden(`${at}.conversionReviewVersions`, why));
    return faults;
  }
  return [
    ...faults,
    ...faultsOfClient(client, `${at}.webhookClientConfig`),
    ...faultsOfReviews(reviews, `${at}.conversionReviewVersions`),
  ];
}

type Service = NonNullable<NonNullable<ClientConfig>["service"]>;

function faultsOfClient(client: ClientConfig, at: string): readonly SchemaFault[] {
  if (client === undefined) return [required(at, "required when strategy is set to Webhook")];
  const { url, service } = client;
  if (url !== undefined && service === undefined) return faultsOfUrl(url, `${at}.url`);
  if (url === undefined && service !== undefined) return faultsOfService(service, `${at}.service`);
  return [required(at, "exactly one of url or service is required")];
}

function faultsOfUrl(text: string, at: string): readonly SchemaFault[] {
  const [, scheme = "", rest = text] = /^([a-zA-Z][a-zA-Z0-9+.-]*):(.*)$/s.exec(text) ?? [];
  const form = "; desired format: https://host[/path]";
  const [, authority = "", , query = "", fragment = ""] =
    /^\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(rest) ?? [];
  const user = authority.includes("@") ? authority.slice(0, authority.lastIndexOf("@")) : undefined;
  const host = user === undefined ? authority : authority.slice(user.length + 1);
  const faults: SchemaFault[] = [];
  if (scheme.toLowerCase() !== "https") {
    faults.push(invalid(at, scheme.toLowerCase(), `'https' is the only allowed URL scheme${form}`));
  }
  if (host === "") faults.push(invalid(at, "", `host must be specified${form}`));
  if (user !== undefined) faults.push(invalid(at, user, "user information is not permitted in the URL"));
  if (fragment !== "") faults.push(invalid(at, fragment, "fragments are not permitted in the URL"));
  if (query !== "") faults.push(invalid(at, query, "query parameters are not permitted in the URL"));
  return faults;
}

function faultsOfService({ namespace, name, path, port }: Service, at: string): readonly SchemaFault[] {
  const faults: SchemaFault[] = [];
  // The API server passes the two in the wrong order, so that each fault names the other field.
  if (namespace === "") faults.push(required(`${at}.name`));
  if (name === "") faults.push(required(`${at}.namespace`));
  if (port < 1 || port > 65535) {
    faults.push(invalid(`${at}.port`, port, "port is not valid: must be between 1 and 65535, inclusive"));
  }
  return [...faults, ...faultsOfPath(path, `${at}.path`)];
}

function faultsOfPath(path: string, at: string): readonly SchemaFault[] {
  if (path === "" || path === "/") return [];
  if (path === "//") return [invalid(at, path, "segment[0] may not be empty")];
  const faults = path.startsWith("/") ? [] : [invalid(at, path, "must start with a '/'")];
  const segments = path.slice(1).replace(/\/$/, "").split("/");
  return [
    ...faults,
    ...segments.flatMap((segment, index) => {
      if (segment === "") return [invalid(at, path, `segment[${index}] may not be empty`)];
      return faultsOfDNS1123Subdomain(segment).map((why) => invalid(at, path, `segment[${index}]: ${why}`));
    }),
  ];
}

function faultsOfReviews(versions: readonly string[], at: string): readonly SchemaFault[] {
  if (versions.length === 0) return [required(at)];
  const faults: SchemaFault[] = [];
  for (const [index, version] of versions.entries()) {
    const here = `${at}[${index}]`;
    if (versions.indexOf(version) < index) faults.push(invalid(here, version, "duplicate version"));
    else faults.push(...faultsOfDNS1035Label(version).map((why) => invalid(here, version, why)));
  }
  if (versions.some((version) => version === "v1" || version === "v1beta1")) return faults;
  return [...faults, invalid(at, versions, "must include at least one of v1, v1beta1")];
}
