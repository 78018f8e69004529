// What the API server says of names (apimachinery, util/validation and api/validate/content): nothing where they are well formed.

const label1123 = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomain1123 = `${label1123}(\\.${label1123})*`;
const label1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
const labelKey = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

const isLabel1123 = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const isLabel1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const isLabelKey = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;

/** A DNS subdomain, as names of objects are. */
export function faultsOfSubdomain(text: string, unit: Unit = "characters"): readonly string[] {
  return [
    ...faultsOfLength(text, 253, unit),
    ...(isSubdomain(text)
      ? []
      : [
          shaped(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
            subdomain1123,
            "example.com",
          ),
        ]),
  ];
}

/** A DNS label, as names of namespaces are. */
export function faultsOfLabel(text: string): readonly string[] {
  const faults = faultsOfLength(text, 63, "characters");
  if (isLabel1123.test(text)) return faults;
  if (isSubdomain(text)) return [...faults, "must not contain dots"];
  const what =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
  return [...faults, shaped(what, label1123, "my-name", "123-abc")];
}

/** A DNS label that begins with a letter, as plural and version names are. */
export function faultsOfLabel1035(text: string): readonly string[] {
  const faults = faultsOfLength(text, 63, "characters");
  if (isLabel1035.test(text)) return faults;
  const what =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  return [...faults, shaped(what, label1035, "my-name", "abc-123")];
}

/** The key of a label or annotation, a finalizer: a name, and maybe a subdomain and a slash before it. */
export function faultsOfQualifiedName(text: string): readonly string[] {
  const what =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  const shape = shaped(what, labelKey, "MyName", "my.name", "123-abc");
  const [first = "", second, ...more] = text.split("/");
  if (more.length > 0) {
    return [
      `a valid label key ${shape} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const faults: string[] = [];
  if (second !== undefined) {
    if (first === "") faults.push("prefix part must be non-empty");
    else faults.push(...faultsOfSubdomain(first, "bytes").map((fault) => `prefix part ${fault}`));
  }
  const name = second ?? first;
  if (name === "") faults.push("name part must be non-empty");
  else faults.push(...faultsOfLength(name, 63, "bytes").map((fault) => `name part ${fault}`));
  return isLabelKey.test(name) ? faults : [...faults, `name part ${shape}`];
}

/** The value of a label. */
export function faultsOfLabelValue(text: string): readonly string[] {
  const faults = faultsOfLength(text, 63, "bytes");
  if (text === "" || isLabelKey.test(text)) return faults;
  const what =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  return [...faults, shaped(what, `(${labelKey})?`, "MyValue", "my_value", "12345")];
}

/** The name in a path, and the beginning of one. */
export function faultsOfPathSegment(text: string): readonly string[] {
  return text === "." || text === ".." ? [`may not be '${text}'`] : faultsOfPathPrefix(text);
}

export function faultsOfPathPrefix(text: string): readonly string[] {
  return ["/", "%"].filter((each) => text.includes(each)).map((each) => `may not contain '${each}'`);
}

/** The beginning of a name that the API server ends: what a dash stands before is not known yet. */
export function maskedDash(text: string): string {
  return text.length > 1 && text.endsWith("-") ? `${text.slice(0, -2)}a` : text;
}

type Unit = "characters" | "bytes";

function isSubdomain(text: string): boolean {
  return text.split(".").every((part) => isLabel1123.test(part));
}

function faultsOfLength(text: string, most: number, unit: Unit): readonly string[] {
  return Buffer.byteLength(text) > most ? [`must be no more than ${most} ${unit}`] : [];
}

function shaped(what: string, pattern: string, ...examples: readonly string[]): string {
  const list = examples.map((example) => `'${example}', `).join(" or ");
  return `${what} (e.g. ${list}regex used for validation is '${pattern}')`;
}
