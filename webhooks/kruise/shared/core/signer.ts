import type { Cause, Path } from "antechamber";
import { dnsLabelFaults, dnsSubdomainFaults } from "antechamber/apimachinery";
import { invalid, required, tooLong } from "../fault.ts";

const form = "must be a fully qualified domain and path of the form 'example.com/signer-name'";

/** The most bytes of a domain, and of a name with a namespace before it and both separators. */
const mostOfDomain = 253;
const mostOfAll = mostOfDomain + 1 + 63 + 1 + 253;

/** Faults of the name of a signer (pkg/apis/core/validation/names.go, ValidateSignerName). */
export function signerFaults(signer: string, path: Path): readonly Cause[] {
  if (signer === "") return required(path);
  const [domain = "", name = "", ...others] = signer.split("/");
  if (others.length > 0 || !signer.includes("/")) return invalid(path, signer, form);
  const labels = domain.split(".");
  return [
    ...(Buffer.byteLength(domain) > mostOfDomain ? tooLong(path, mostOfDomain) : []),
    ...invalid(path, domain, ...firstFaults(labels, dnsLabelFaults)),
    ...(labels.length < 2
      ? invalid(path, domain, "should be a domain with at least two segments separated by dots")
      : []),
    ...invalid(path, name, ...firstFaults(name.split("."), dnsSubdomainFaults)),
    ...(Buffer.byteLength(signer) > mostOfAll ? tooLong(path, mostOfAll) : []),
  ];
}

/** The faults of the first label that has some. */
function firstFaults(
  labels: readonly string[],
  faultsOf: (label: string) => readonly string[],
): readonly string[] {
  const label = labels.find((each) => faultsOf(each).length > 0);
  if (label === undefined) return [];
  return faultsOf(label).map((fault) => `validating label ${JSON.stringify(label)}: ${fault}`);
}
