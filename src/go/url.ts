import { GoFault } from "./fault.ts";
import { parseAddress } from "./netip.ts";
import { fromBytes, quote, toBytes } from "./text.ts";

/** A URL as Go's net/url reads one. Texts that were unescaped hold bytes, one a character. */
export interface Url {
  readonly scheme: string;
  readonly opaque: string;
  readonly user?: readonly [name: string, password?: string];
  readonly host: string;
  readonly path: string;
  readonly rawPath: string;
  readonly query: string;
  readonly forceQuery: boolean;
  readonly fragment: string;
  readonly omitHost: boolean;
}

type Mode = "host" | "zone" | "path" | "user" | "query" | "fragment";

/** The UTF-8 bytes of a text, one a character. */
function bytesOf(text: string): string {
  return Array.from(toBytes(text), (byte) => String.fromCharCode(byte)).join("");
}

/** The text that such bytes are in UTF-8; bytes that are none become U+FFFD, one by one. */
export function textOf(bytes: string): string {
  const codes = Array.from(bytes, (byte) => byte.charCodeAt(0));
  const whole = fromBytes(codes);
  if (whole !== undefined) return whole;
  let text = "";
  for (let at = 0; at < codes.length; ) {
    const length = [1, 2, 3, 4].find((count) => fromBytes(codes.slice(at, at + count)) !== undefined);
    text += length === undefined ? "\ufffd" : (fromBytes(codes.slice(at, at + length)) ?? "");
    at += length ?? 1;
  }
  return text;
}

/** Go's url.ParseRequestURI: only whole URLs and whole paths; a fragment belongs to the path. */
export function parseRequestUri(text: string): Url | GoFault {
  const url = parse(bytesOf(text), "request");
  return url instanceof GoFault ? new GoFault(`parse ${quote(text)}: ${url.message}`) : url;
}

/** Go's url.Parse. */
export function parseUrl(text: string): Url | GoFault {
  const hash = text.indexOf("#");
  const [head, fragment] = hash < 0 ? [text, ""] : [text.slice(0, hash), text.slice(hash + 1)];
  const url = parse(bytesOf(head), "reference");
  if (url instanceof GoFault) return new GoFault(`parse ${quote(head)}: ${url.message}`);
  const unescaped = percentDecode(bytesOf(fragment), "fragment");
  if (unescaped instanceof GoFault) return new GoFault(`parse ${quote(text)}: ${unescaped.message}`);
  return { ...url, fragment: unescaped };
}

/** Whether a text has a control character of ASCII. */
function hasControl(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}

function parse(text: string, as: "request" | "reference"): Url | GoFault {
  if (hasControl(text)) return new GoFault("net/url: invalid control character in URL");
  if (text === "" && as === "request") return new GoFault("empty url");
  const empty = {
    scheme: "",
    opaque: "",
    host: "",
    rawPath: "",
    query: "",
    forceQuery: false,
    fragment: "",
    omitHost: false,
  };
  if (text === "*") return { ...empty, path: "*" };
  const split = splitScheme(text);
  if (split instanceof GoFault) return split;
  const [scheme, afterScheme] = split;
  const { rest, query, forceQuery } = splitQuery(afterScheme);
  const head = { ...empty, scheme, query, forceQuery };
  if (!rest.startsWith("/")) {
    if (scheme !== "") return { ...head, opaque: rest, path: "" };
    if (as === "request") return new GoFault("invalid URI for request");
    if ((rest.split("/")[0] ?? "").includes(":")) {
      return new GoFault("first path segment in URL cannot contain colon");
    }
  }
  const hasAuthority =
    rest.startsWith("//") && (scheme !== "" || (as === "reference" && !rest.startsWith("///")));
  if (!hasAuthority) return withPath({ ...head, omitHost: scheme !== "" && rest.startsWith("/") }, rest);
  const [, authority = "", path = ""] = /^\/\/([^/]*)(.*)$/s.exec(rest) ?? [];
  const read = parseAuthority(scheme, authority);
  return read instanceof GoFault ? read : withPath({ ...head, ...read }, path);
}

function splitScheme(text: string): readonly [string, string] | GoFault {
  if (text.startsWith(":")) return new GoFault("missing protocol scheme");
  const [, scheme, rest] = /^([A-Za-z][A-Za-z\d+.-]*):(.*)$/s.exec(text) ?? [];
  return scheme === undefined ? ["", text] : [scheme.toLowerCase(), rest ?? ""];
}

function splitQuery(text: string): { rest: string; query: string; forceQuery: boolean } {
  const mark = text.indexOf("?");
  if (mark < 0) return { rest: text, query: "", forceQuery: false };
  const query = text.slice(mark + 1);
  return { rest: text.slice(0, mark), query, forceQuery: query === "" };
}

function withPath(url: Omit<Url, "path">, escaped: string): Url | GoFault {
  const path = percentDecode(escaped, "path");
  if (path instanceof GoFault) return path;
  return { ...url, path, rawPath: percentEncode(path, "path") === escaped ? "" : escaped };
}

function parseAuthority(scheme: string, authority: string): Pick<Url, "user" | "host"> | GoFault {
  const at = authority.lastIndexOf("@");
  const host = parseHost(scheme, authority.slice(at + 1));
  if (host instanceof GoFault || at < 0) return host instanceof GoFault ? host : { host };
  const info = authority.slice(0, at);
  if (!/^[A-Za-z\d\-._:~!$&'()*+,;=%@]*$/.test(info)) return new GoFault("net/url: invalid userinfo");
  const colon = info.indexOf(":");
  const [name, password] = colon < 0 ? [info] : [info.slice(0, colon), info.slice(colon + 1)];
  const unescaped = [name, password].map((part) =>
    part === undefined ? undefined : percentDecode(part, "user"),
  );
  const wrong = unescaped.find((part) => part instanceof GoFault);
  if (wrong instanceof GoFault) return wrong;
  const user = unescaped.filter((part) => typeof part === "string") as unknown as readonly [string, string?];
  return { user, host };
}

function parseHost(scheme: string, host: string): string | GoFault {
  const open = host.lastIndexOf("[");
  if (open > 0) return new GoFault("invalid IP-literal");
  if (open === 0) return parseLiteral(host);
  let colon = host.indexOf(":");
  if (scheme !== "http" && scheme !== "https") colon = host.lastIndexOf(":");
  if (colon >= 0 && !isPort(host.slice(colon))) return badPort(host.slice(colon));
  return percentDecode(host, "host");
}

const isPort = (text: string): boolean => /^(?::\d*)?$/.test(text);
const badPort = (port: string): GoFault => new GoFault(`invalid port ${quote(port)} after host`);

function parseLiteral(host: string): string | GoFault {
  const close = host.lastIndexOf("]");
  if (close < 0) return new GoFault("missing ']' in host");
  const port = host.slice(close + 1);
  if (!isPort(port)) return badPort(port);
  const name = host.slice(1, close);
  const zone = name.indexOf("%25");
  const parts =
    zone < 0
      ? [percentDecode(name, "host")]
      : [percentDecode(name.slice(0, zone), "host"), percentDecode(name.slice(zone), "zone")];
  const wrong = parts.find((part) => part instanceof GoFault);
  if (wrong instanceof GoFault) return wrong;
  const unescaped = parts.join("");
  const address = parseAddress(unescaped);
  if (address instanceof GoFault) return new GoFault(`invalid host: ${address.message}`);
  return address.bytes.length === 4 ? new GoFault("invalid IP-literal") : `[${unescaped}]${port}`;
}

const unreserved = /[A-Za-z\d\-_.~]/;
const allowed: Readonly<Record<Mode, string>> = {
  host: "!$&'()*+,;=:[]<>\"",
  zone: "!$&'()*+,;=:[]<>\"",
  path: "$&+,/:;=@",
  user: "$&+,;=",
  query: "",
  fragment: "$&+,/:;=?@!()*",
};

function mustEscape(character: string, mode: Mode): boolean {
  return !unreserved.test(character) && !allowed[mode].includes(character);
}

function percentEncode(text: string, mode: Mode): string {
  let result = "";
  for (const character of text) {
    if (!mustEscape(character, mode)) result += character;
    else result += `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return result;
}

function percentDecode(text: string, mode: Mode): string | GoFault {
  let result = "";
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    if (character === "%") {
      const code = text.slice(at, at + 3);
      if (!isEscape(code, mode)) return new GoFault(`invalid URL escape ${quote(code)}`);
      result += String.fromCharCode(Number.parseInt(code.slice(1), 16));
      at += 2;
    } else if (isHost(mode) && character < "\x80" && mustEscape(character, mode)) {
      return new GoFault(`invalid character ${quote(character)} in host name`);
    } else result += character === "+" && mode === "query" ? " " : character;
  }
  return result;
}

const isHost = (mode: Mode): boolean => mode === "host" || mode === "zone";

function isEscape(code: string, mode: Mode): boolean {
  if (!/^%[\da-fA-F]{2}$/.test(code)) return false;
  if (mode === "host") return code === "%25" || Number.parseInt(code.slice(1), 16) >= 0x80;
  if (mode !== "zone" || code === "%25") return true;
  const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
  return character === " " || !mustEscape(character, "host");
}

/** The path as it was written, or escaped where it was not written so. */
export function escapedPath({ path, rawPath }: Url): string {
  const isValid = [...rawPath].every(
    (character) => /[!$&'()*+,;=:@[\]%]/.test(character) || !mustEscape(character, "path"),
  );
  if (rawPath !== "" && isValid) return rawPath;
  return path === "*" ? "*" : percentEncode(path, "path");
}

/** Host and port of a URL, the brackets of an IPv6 address taken off. */
export function hostAndPort({ host }: Url): readonly [host: string, port: string] {
  const colon = host.lastIndexOf(":");
  const hasPort = colon >= 0 && isPort(host.slice(colon));
  const [name, port] = hasPort ? [host.slice(0, colon), host.slice(colon + 1)] : [host, ""];
  return [name.startsWith("[") && name.endsWith("]") ? name.slice(1, -1) : name, port];
}

/** The values of every parameter of the query; those that cannot be read are left out. */
export function queryOf({ query }: Url): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  const pairs = query.split("&");
  if (pairs.length > 10_000) return values;
  for (const pair of pairs) {
    if (pair === "" || pair.includes(";")) continue;
    const equals = pair.indexOf("=");
    const [key, value] = equals < 0 ? [pair, ""] : [pair.slice(0, equals), pair.slice(equals + 1)];
    const [name, text] = [percentDecode(key, "query"), percentDecode(value, "query")];
    if (name instanceof GoFault || text instanceof GoFault) continue;
    values.set(name, [...(values.get(name) ?? []), text]);
  }
  return values;
}

/** The URL as text again. */
export function printUrl(url: Url): string {
  const { scheme, opaque, user, host } = url;
  let text = scheme === "" ? "" : `${scheme}:`;
  if (opaque !== "") text += opaque;
  else {
    const hasAuthority = scheme !== "" || host !== "" || user !== undefined;
    const isOmitted = url.omitHost && host === "" && user === undefined;
    if (hasAuthority && !isOmitted) text += printAuthority(url);
    const path = escapedPath(url);
    if (path !== "" && !path.startsWith("/") && host !== "") text += "/";
    if (text === "" && (path.split("/")[0] ?? "").includes(":")) text += "./";
    text += path;
  }
  if (url.forceQuery || url.query !== "") text += `?${url.query}`;
  return url.fragment === "" ? text : `${text}#${percentEncode(url.fragment, "fragment")}`;
}

function printAuthority({ host, path, user }: Url): string {
  const marked = host !== "" || path !== "" || user !== undefined ? "//" : "";
  const [name, password] = user ?? [];
  const info =
    name === undefined
      ? ""
      : `${[name, password]
          .filter((part) => part !== undefined)
          .map((part) => percentEncode(part, "user"))
          .join(":")}@`;
  return marked + info + percentEncode(host, "host");
}
