import type { Option } from "commander";
import { option } from "./options.ts";

/** Where a conversion webhook of another project is, what it converts, and how it is trusted. */
export interface UpstreamOptions {
  /** Without it, the CRDs name their upstreams. */
  readonly upstream?: string;
  /** Files and folders with CRDs. */
  readonly crd?: readonly string[];
  readonly upstreamCa?: string;
  readonly upstreamServerName?: string;
  readonly upstreamClientCert?: string;
  readonly upstreamClientKey?: string;
  readonly insecureSkipTlsVerify: boolean;
}

/** Its options, of which a command words the first two. */
export function upstreamOptions(words: {
  readonly upstream: string;
  readonly crd: string;
}): readonly Option[] {
  return [
    option("--upstream <url>", words.upstream),
    option("--crd <path...>", words.crd),
    option("--upstream-ca <file>", "PEM file of the CAs that signed the upstream's certificate"),
    option(
      "--upstream-server-name <name>",
      "the name in the upstream's certificate, if it is not the host of the URL",
    ),
    option("--upstream-client-cert <file>", "PEM file of a certificate to show to the upstream"),
    option("--upstream-client-key <file>", "PEM file of its key"),
    option("--insecure-skip-tls-verify", "accept any certificate of the upstream").default(false),
  ];
}
