/**
 * When an image is pulled where nobody says it: always for the tag `latest`, which is also the tag of an image that says
 * neither tag nor digest; what is no image's name is none of these (k8s.io/kubernetes, pkg/util/parsers, which asks
 * github.com/distribution/reference; measured: golden default/pull-policy-variants).
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

// A registry's name has no limit of its own, but nobody's is longer than a domain; a path has 255 characters at most, a
// tag 128, a digest 136.
const longest = 1000;

/** A registry's path; what looked like a registry and is none may be the beginning of the path. */
function isName(domain: string, path: string): boolean {
  if (isDomain(domain)) return isPath(path) && path.length <= 255;
  const whole = `${domain}/${path}`;
  return isPath(whole) && whole.length <= 255;
}

/** A registry and the rest. The first part is a registry if it looks like a host: a dot, a port, upper case, `localhost`. */
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
