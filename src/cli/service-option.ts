import { isDNS1123Label } from "../apimachinery/names.ts";
import { UsageError } from "../errors.ts";
import type { ServiceReference } from "../manifests/reach.ts";

/** The Service of the base manifests. */
export const defaultService = "antechamber-system/antechamber";

/** Parses `namespace/name` or `namespace/name:port`. Throws UsageError. */
export function serviceOf(text: string): ServiceReference {
  const [, namespace = "", name = "", port] = /^([^/:]+)\/([^/:]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const number = port === undefined ? undefined : Number(port);
  if (!isDNS1123Label(namespace) || !isDNS1123Label(name) || number === 0 || (number ?? 1) > 65_535) {
    throw new UsageError(
      `--service ${text}: must be <namespace>/<name> or <namespace>/<name>:<port>, such as ${defaultService}`,
    );
  }
  return { namespace, name, ...(number === undefined ? {} : { port: number }) };
}
