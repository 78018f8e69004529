import { byteLength } from "../go/text.ts";

// The names of Kubernetes, and what is wrong with a text that is not one: the functions of apimachinery's util/validation
// and api/validate/content (v0.36), by their names there. No fault means that the text is one.

const label1123 = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomain1123 = `${label1123}(\\.${label1123})*`;
const label1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
const labelKey = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

const label1123Pattern = new RegExp(`^${label1123}$`);
const label1035Pattern = new RegExp(`^${label1035}$`);
// Each part begins after a dot, so that no text can be read in two ways; a part may be longer than a label.
const subdomain1123Pattern = new RegExp(`^${subdomain1123}$`);
const labelKeyPattern = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** Whether a text is a DNS-1123 label, as plural and version names are. */
export function isDNS1123Label(text: string): boolean {
  return text.length <= 63 && label1123Pattern.test(text);
}

/** Whether a text is a DNS-1123 subdomain, as group names are. */
export function isDNS1123Subdomain(text: string): boolean {
  return text.length <= 253 && subdomain1123Pattern.test(text);
}

/** IsDNS1123Subdomain: the name of most objects. */
export function faultsOfDNS1123Subdomain(text: string, unit: Unit = "characters"): readonly string[] {
  const what =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
  return [
    ...faultsOfLength(text, 253, unit),
    ...(subdomain1123Pattern.test(text) ? [] : [regexError(what, subdomain1123, "example.com")]),
  ];
}

/** IsDNS1123Label: the name of a namespace. */
export function faultsOfDNS1123Label(text: string): readonly string[] {
  const faults = faultsOfLength(text, 63, "characters");
  if (label1123Pattern.test(text)) return faults;
  if (subdomain1123Pattern.test(text)) return [...faults, "must not contain dots"];
  const what =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
  return [...faults, regexError(what, label1123, "my-name", "123-abc")];
}

/** IsDNS1035Label: a DNS label that begins with a letter, as plural names are. */
export function faultsOfDNS1035Label(text: string): readonly string[] {
  const faults = faultsOfLength(text, 63, "characters");
  if (label1035Pattern.test(text)) return faults;
  const what =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  return [...faults, regexError(what, label1035, "my-name", "abc-123")];
}

/**
 * The release of apimachinery whose words are used: v0.36 is the API server's, v0.32 is linked by webhooks that were built
 * against an older one. They differ in what they call a length and a name with a prefix.
 */
type Release = "v0.32" | "v0.36";

/** IsQualifiedName: the key of a label or annotation, or a finalizer: a name, perhaps with a subdomain and a slash before it. */
export function faultsOfQualifiedName(text: string, release: Release = "v0.36"): readonly string[] {
  const unit = unitOf(release);
  const what =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  const shape = regexError(what, labelKey, "MyName", "my.name", "123-abc");
  const [first = "", second, ...more] = text.split("/");
  if (more.length > 0) {
    const subject = release === "v0.32" ? "a qualified name" : "a valid label key";
    return [`${subject} ${shape} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const faults: string[] = [];
  if (second !== undefined) {
    if (first === "") faults.push("prefix part must be non-empty");
    else faults.push(...faultsOfDNS1123Subdomain(first, unit).map((fault) => `prefix part ${fault}`));
  }
  const name = second ?? first;
  if (name === "") faults.push("name part must be non-empty");
  else faults.push(...faultsOfLength(name, 63, unit).map((fault) => `name part ${fault}`));
  return labelKeyPattern.test(name) ? faults : [...faults, `name part ${shape}`];
}

/** Whether IsQualifiedName finds no fault: the same as `faultsOfQualifiedName`, without making messages. */
export function isQualifiedName(text: string): boolean {
  const slash = text.indexOf("/");
  const name = slash < 0 ? text : text.slice(slash + 1);
  if (name.length > 63 || !labelKeyPattern.test(name)) return false;
  return slash < 0 || isDNS1123Subdomain(text.slice(0, slash));
}

/** Whether IsValidLabelValue finds no fault. */
export function isLabelValue(text: string): boolean {
  return text === "" || (text.length <= 63 && labelKeyPattern.test(text));
}

/** IsValidLabelValue. */
export function faultsOfLabelValue(text: string, release: Release = "v0.36"): readonly string[] {
  const faults = faultsOfLength(text, 63, unitOf(release));
  if (text === "" || labelKeyPattern.test(text)) return faults;
  const what =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  return [...faults, regexError(what, `(${labelKey})?`, "MyValue", "my_value", "12345")];
}

/** IsQualifiedName in the words of v0.32, for webhooks that speak as one built against it. */
export function labelKeyFaults(text: string): readonly string[] {
  return faultsOfQualifiedName(text, "v0.32");
}

/** IsValidLabelValue in the words of v0.32. */
export function labelValueFaults(text: string): readonly string[] {
  return faultsOfLabelValue(text, "v0.32");
}

/** IsPathSegmentName: any name that is part of a URL. */
export function faultsOfPathSegmentName(text: string): readonly string[] {
  return text === "." || text === ".." ? [`may not be '${text}'`] : faultsOfPathSegmentPrefix(text);
}

/** IsPathSegmentPrefix: the beginning of one. */
export function faultsOfPathSegmentPrefix(text: string): readonly string[] {
  return ["/", "%"].filter((each) => text.includes(each)).map((each) => `may not contain '${each}'`);
}

/** maskTrailingDash of api/validation: a prefix may end with a dash, since the API server appends to it. */
export function maskTrailingDash(text: string): string {
  return text.length > 1 && text.endsWith("-") ? `${text.slice(0, -2)}a` : text;
}

type Unit = "characters" | "bytes";

function unitOf(release: Release): Unit {
  return release === "v0.32" ? "characters" : "bytes";
}

/** MaxLenError: the length is counted in bytes, whatever the sentence calls it. */
function faultsOfLength(text: string, most: number, unit: Unit): readonly string[] {
  return byteLength(text) > most ? [`must be no more than ${most} ${unit}`] : [];
}

/** RegexError. */
function regexError(what: string, pattern: string, ...examples: readonly string[]): string {
  const list = examples.map((example) => `'${example}', `).join(" or ");
  return `${what} (e.g. ${list}regex used for validation is '${pattern}')`;
}
