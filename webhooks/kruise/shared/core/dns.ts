import { type Cause, type JsonObject, own, type Path } from "antechamber";
import { dnsSubdomainFaults } from "antechamber/apimachinery";
import { invalid, notSupported, required } from "../fault.ts";
import { objectAt, objectsAt, stringAt, stringsAt } from "../read.ts";

const policies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];

/** Faults of a pod's DNS policy (k8s.io/kubernetes v1.32, `validateDNSPolicy`). */
export function dnsPolicyFaults(pod: JsonObject, path: Path): readonly Cause[] {
  const policy = stringAt(pod, "dnsPolicy");
  if (policy === "") return required([...path, "dnsPolicy"]);
  return policies.includes(policy) ? [] : notSupported([...path, "dnsPolicy"], policy, policies);
}

/** Faults of a pod's DNS configuration (`validatePodDNSConfig`). */
export function dnsConfigFaults(pod: JsonObject, path: Path): readonly Cause[] {
  const config = objectAt(pod, "dnsConfig");
  const [servers, searches] = [stringsAt(config, "nameservers"), stringsAt(config, "searches")];
  if (stringAt(pod, "dnsPolicy") === "None") {
    if (config === undefined) return required(path, "must provide `dnsConfig` when `dnsPolicy` is None");
    const least = "must provide at least one DNS nameserver when `dnsPolicy` is None";
    if (servers.length === 0) return required([...path, "nameservers"], least);
  }
  const characters = "must not have more than 2048 characters (including spaces) in the search list";
  return [
    ...(servers.length > 3
      ? invalid([...path, "nameservers"], own(config, "nameservers"), "must not have more than 3 nameservers")
      : []),
    ...servers.flatMap((server, index) => ipFaults(server, [...path, "nameservers", index])),
    ...(searches.length > 32
      ? invalid([...path, "searches"], own(config, "searches"), "must not have more than 32 search paths")
      : []),
    ...(Buffer.byteLength(searches.join(" ")) > 2048
      ? invalid([...path, "searches"], own(config, "searches"), characters)
      : []),
    ...searches.flatMap((search, index) => {
      const name = search.replace(/\.$/, "");
      return invalid([...path, "searches", index], name, ...dnsSubdomainFaults(name));
    }),
    ...objectsAt(config, "options").flatMap((option, index) =>
      stringAt(option, "name") === "" ? required([...path, "options", index], "must not be empty") : [],
    ),
  ];
}

/** Faults of a pod's additional hosts (`ValidateHostAliases`). */
export function hostAliasFaults(pod: JsonObject, path: Path): readonly Cause[] {
  return objectsAt(pod, "hostAliases").flatMap((alias, index) => {
    const at = [...path, "hostAliases", index];
    return [
      ...ipFaults(stringAt(alias, "ip"), [...at, "ip"]),
      ...stringsAt(alias, "hostnames").flatMap((name, position) =>
        invalid([...at, "hostnames", position], name, ...dnsSubdomainFaults(name)),
      ),
    ];
  });
}

function ipFaults(text: string, path: Path): readonly Cause[] {
  const detail = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
  return isIPv4(text) || isIPv6(text) ? [] : invalid(path, text, detail);
}

/** An IPv4 address, whose parts may begin with zeros (k8s.io/utils, net, `ParseIPSloppy`). */
function isIPv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^[0-9]+$/.test(part) && Number(part) <= 255);
}

/** An IPv6 address; its last two groups may be an IPv4 address. */
function isIPv6(text: string): boolean {
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  const last = groups.at(-1) ?? "";
  const isMixed = last.includes(".") && isIPv4(last);
  const count = groups.length + (isMixed ? 1 : 0);
  const isHex = (isMixed ? groups.slice(0, -1) : groups).every((group) => /^[0-9a-fA-F]{1,4}$/.test(group));
  return isHex && (halves.length === 2 ? count < 8 : count === 8);
}
