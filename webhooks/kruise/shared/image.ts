/**
 * The default pull policy of an image: Always for the tag `latest`, which is also the default tag of an image without a tag
 * or digest; IfNotPresent for anything else, an invalid image name included (k8s.io/kubernetes, pkg/util/parsers, which uses
 * github.com/distribution/reference; recorded in test/golden/default/pull-policy-variants).
 */
export function pullPolicyOf(image: string): "Always" | "IfNotPresent" {
  return tagOf(image) === "latest" ? "Always" : "IfNotPresent";
}

function tagOf(image: string): string | undefined {
  if (image.length > longest || /^[a-f0-9]{64}$/.test(image)) return undefined;
  const [domain, rest] = splitDomain(image);
  const [repository = ""] = rest.split(":", 1);
  if (repository.toLowerCase() !== repository) return undefined;
  const parts = /^([^:@]+)(?::([\w][\w.-]{0,127}))?(?:@(.+))?$/s.exec(rest);
  const [, path = "", tag, digest] = parts ?? [];
  if (parts === null || !isName(domain, path)) return undefined;
  if (digest !== undefined && !isDigest(digest)) return undefined;
  return tag ?? (digest === undefined ? "latest" : undefined);
}

// The syntax does not limit the registry, but a domain name is short enough; a path has at most 255 characters, a tag
// 128,
// a digest 136.
const longest = 1000;

/** Whether the path is valid; a first part that only looks like a registry may belong to the path. */
function isName(domain: string, path: string): boolean {
  if (isDomain(domain)) return isPath(path) && path.length <= 255;
  const whole = `${domain}/${path}`;
  return isPath(whole) && whole.length <= 255;
}

/** Splits off the registry: the first part, if it looks like a host (a dot, a port, upper case, or `localhost`). */
function splitDomain(image: string): readonly [domain: string, rest: string] {
  const slash = image.indexOf("/");
  const first = image.slice(0, slash);
  const isHost = slash >= 0 && (/[.:]/.test(first) || first === "localhost" || first.toLowerCase() !== first);
  if (isHost && first !== "docker.io" && first !== "index.docker.io") return [first, image.slice(slash + 1)];
  const rest = isHost ? image.slice(slash + 1) : image;
  return ["docker.io", rest.includes("/") ? rest : `library/${rest}`];
}

function isDomain(text: string): boolean {
  const label = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
  return new RegExp(`^(?:${label}(?:\\.${label})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?$`).test(text);
}

function isPath(text: string): boolean {
  return text.split("/").every((part) => /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*$/.test(part));
}

function isDigest(text: string): boolean {
  return /^(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})$/.test(text);
}
