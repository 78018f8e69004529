import { GoFault } from "../../../go/fault.ts";
import {
  escapedPath,
  hostAndPort,
  parseRequestUri,
  parseUrl,
  printUrl,
  queryOf,
  textOf,
  type Url,
} from "../../../go/url.ts";
import { Entries, Items } from "../language/collections.ts";
import { type Row, type Run, taking } from "../language/function.ts";
import { urlType } from "../language/types.ts";
import { CelError, errorOr, isText, type Thing, type Value } from "../language/values.ts";

class UrlValue implements Thing {
  readonly thing = urlType;
  readonly url: Url;
  constructor(url: Url) {
    this.url = url;
  }
  equals(other: Value): Value {
    return other instanceof UrlValue ? printUrl(this.url) === printUrl(other.url) : errorOr(other);
  }
  print(): string {
    return textOf(printUrl(this.url));
  }
}

const isUrl = (value: Value): value is UrlValue => value instanceof UrlValue;
const part = (read: (url: Url) => string): Run => taking([isUrl], ({ url }) => textOf(read(url)));

/** Kubernetes' URL library (apiserver/pkg/cel/library/urls.go). */
export const urlRows: readonly Row[] = [
  ["string_to_url", "url(string): URL", taking([isText], toUrl)],
  ["url_get_scheme", "URL .getScheme(): string", part(({ scheme }) => scheme)],
  ["url_get_host", "URL .getHost(): string", part(({ host }) => host)],
  ["url_get_hostname", "URL .getHostname(): string", part((url) => hostAndPort(url)[0])],
  ["url_get_port", "URL .getPort(): string", part((url) => hostAndPort(url)[1])],
  ["url_get_escaped_path", "URL .getEscapedPath(): string", part(escapedPath)],
  ["url_get_query", "URL .getQuery(): map(string, list(string))", taking([isUrl], query)],
  [
    "is_url_string",
    "isURL(string): bool",
    taking([isText], (text) => !(parseRequestUri(text) instanceof GoFault)),
  ],
];

function toUrl(text: string): Value {
  const checked = parseRequestUri(text);
  const url = checked instanceof GoFault ? checked : parseUrl(text);
  if (url instanceof GoFault)
    return new CelError(`URL parse error during conversion from string: ${url.message}`);
  return new UrlValue(url);
}

function query({ url }: UrlValue): Value {
  const entries = [...queryOf(url)];
  return Entries.of(entries.map(([name, texts]) => [textOf(name), new Items(texts.map(textOf))] as const));
}
