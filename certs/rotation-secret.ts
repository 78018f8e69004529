import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { canIssue } from "./authority.ts";
import { certificateBlocks, checkPair } from "./keypair.ts";
import {
  type Certificate,
  type Leaf,
  type Phase,
  phases,
  type RotationState,
  type SigningAuthority,
} from "./rotation.ts";

/** The entries of the Secret that holds a rotation state, as text. */
export type SecretEntries = Readonly<Record<string, string>>;

/** The entries of a state. */
export function entriesOf({ phase, authority, next, trusted, leaf }: RotationState): SecretEntries {
  return {
    [keys.phase]: phase,
    ...(authority === undefined ? {} : { [keys.ca]: authority.pem, [keys.caKey]: authority.key }),
    ...(next === undefined ? {} : { [keys.next]: next.pem, [keys.nextKey]: next.key }),
    ...(trusted.length === 0 ? {} : { [keys.trusted]: trusted.map(({ pem }) => pem).join("") }),
    ...(leaf === undefined ? {} : { [keys.leaf]: leaf.pem, [keys.leafKey]: leaf.key }),
  };
}

/**
 * The state in a Secret that anyone may have edited: what cannot be used is left out, and the certificate of a CA whose key
 * cannot be used stays trusted. With an unknown phase every CA stays trusted until all replicas serve a leaf of the current one.
 */
export function stateIn(entries: SecretEntries, hosts: readonly string[]): RotationState {
  const authority = signingIn(entries, keys.ca, keys.caKey);
  const given = signingIn(entries, keys.next, keys.nextKey);
  const known = phases.find((each) => each === entries[keys.phase]);
  const phase: Phase = known ?? "switch";
  const next = phase === "publish" ? given : undefined;
  const kept = [authority, next].map((each) => each?.id);
  const all = [keys.ca, keys.next, keys.trusted].flatMap((key) => certificatesIn(entries[key] ?? ""));
  const isKept = phase === "publish" || phase === "switch";
  const trusted = isKept ? all.filter(({ id }) => !kept.includes(id)).slice(0, maxTrusted) : [];
  const leaf = leafIn(entries, [authority, next, ...trusted], hosts);
  return {
    phase,
    trusted,
    ...(authority === undefined ? {} : { authority }),
    ...(next === undefined ? {} : { next }),
    ...(leaf === undefined ? {} : { leaf }),
  };
}

/** The CA certificates of a PEM text that can be read; anything else in it is ignored. */
export function certificatesIn(pem: string): readonly Certificate[] {
  if (pem.length > maxText) return [];
  return (certificateBlocks(pem) ?? []).flatMap((block) => {
    const certificate = certificateIn(block);
    return certificate?.x509.ca ? [certificate.facts] : [];
  });
}

/** The facts of a new CA or leaf. */
export function factsFrom(pem: string): Certificate {
  return factsIn(new X509Certificate(pem));
}

const keys = {
  phase: "phase",
  ca: "ca.crt",
  caKey: "ca.key",
  next: "next-ca.crt",
  nextKey: "next-ca.key",
  trusted: "trusted.crt",
  leaf: "tls.crt",
  leafKey: "tls.key",
} as const;

/** The keys of all entries. */
export const secretKeys: readonly string[] = Object.values(keys);

/** Characters. A Secret has at most 1 MiB, a certificate of ours less than 1 KiB. */
const maxText = 256 * 1024;
const maxTrusted = 8;

function signingIn(entries: SecretEntries, name: string, keyName: string): SigningAuthority | undefined {
  const [pem, key] = [entries[name] ?? "", entries[keyName] ?? ""];
  const certificate = certificateIn(pem);
  if (certificate === undefined || !canIssue({ certificate: pem, key })) return undefined;
  return { ...certificate.facts, key };
}

function leafIn(
  entries: SecretEntries,
  authorities: readonly (Certificate | undefined)[],
  hosts: readonly string[],
): Leaf | undefined {
  const [pem, key] = [entries[keys.leaf] ?? "", entries[keys.leafKey] ?? ""];
  const certificate = certificateIn(pem);
  // Whether it is valid now is another question.
  if (certificate === undefined || checkPair({ certificate: pem, key }, certificate.x509.validFromDate))
    return undefined;
  const { x509, facts } = certificate;
  const issuer = authorities.find((each) => each !== undefined && isIssuedBy(x509, each));
  const coversHosts = hosts.every((host) => (isIP(host) === 0 ? x509.checkHost(host) : x509.checkIP(host)));
  return { ...facts, key, issuer: issuer?.id ?? "", coversHosts };
}

function isIssuedBy(leaf: X509Certificate, { pem }: Certificate): boolean {
  const authority = new X509Certificate(pem);
  return leaf.checkIssued(authority) && leaf.verify(authority.publicKey);
}

interface Read {
  readonly x509: X509Certificate;
  readonly facts: Certificate;
}

/** A certificate of PEM; undefined if it cannot be read. */
function certificateIn(pem: string): Read | undefined {
  if (pem === "" || pem.length > maxText) return undefined;
  try {
    const x509 = new X509Certificate(pem);
    return { x509, facts: factsIn(x509) };
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

function factsIn(x509: X509Certificate): Certificate {
  return {
    // As it is written anew: a text around it may be anything.
    pem: x509.toString(),
    id: x509.fingerprint256.replaceAll(":", "").toLowerCase(),
    notBefore: x509.validFromDate.getTime(),
    notAfter: x509.validToDate.getTime(),
  };
}
