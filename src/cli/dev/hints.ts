import path from "node:path";
import { shellWord } from "../shell-word.ts";
import type { ServedKind } from "./messages.ts";

/** Where the hints lead. */
interface HintPlaces {
  readonly kubeconfig: string;
  /** kubectl that came with the API server; without it that of the user. */
  readonly kubectl: string | undefined;
  /** The working directory. */
  readonly folder: string;
  /** The address of the page; without it there is none. */
  readonly page: string | undefined;
}

/** The lines to paste into a second shell: how to reach the API server, and what to try with each kind. */
export function hints(kinds: readonly ServedKind[], places: HintPlaces): readonly string[] {
  const { kubeconfig, kubectl, page } = places;
  return [
    "",
    "A Kubernetes API server and the kinds are running. In a second shell:",
    "",
    `export KUBECONFIG=${shellWord(kubeconfig)}`,
    ...(kubectl === undefined ? [] : [`export PATH=${shellWord(path.dirname(kubectl))}:$PATH`]),
    ...kinds.flatMap((kind) => kindHints(kind, places)),
    ...(page === undefined ? [] : ["", `# The kinds and their objects, versions side by side: ${page}`]),
    "",
    "Every change of a file is served at once. Ctrl-C ends both, and all objects are gone.",
  ];
}

function kindHints(kind: ServedKind, places: HintPlaces): readonly string[] {
  const { name, plural, group, versions, served, folder, examples, namespaces } = kind;
  const unserved = versions.filter((each) => !served.includes(each));
  const [oldest, newest] = [served[0], served.at(-1)];
  const [file] = examples;
  const [namespace] = namespaces;
  const scope = namespace === undefined ? "" : ` -n ${namespace}`;
  return [
    "",
    `# ${name}`,
    ...(unserved.length === 0 ? [] : [`# not served, so not for kubectl: ${unserved.join(", ")}`]),
    ...(file === undefined
      ? [`# no example of a served version is admitted: write one into ${shortened(folder, places)}/examples`]
      : [`kubectl apply -f ${shellWord(shortened(file, places))}`]),
    ...(oldest === undefined || oldest === newest
      ? []
      : [`kubectl get ${plural}.${oldest}.${group}${scope} -o yaml`]),
    ...(newest === undefined
      ? []
      : [
          `kubectl get ${plural}.${newest}.${group}${scope} -o yaml`,
          `kubectl explain ${plural} --api-version=${group}/${newest}`,
        ]),
  ];
}

function shortened(file: string, { folder }: HintPlaces): string {
  const relative = path.relative(folder, file);
  return relative.startsWith("..") ? file : relative;
}
