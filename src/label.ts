/** The faults of a label key or annotation key; none if it is valid (apimachinery v0.32, `IsQualifiedName`). */
export function labelKeyFaults(key: string): readonly string[] {
  const parts = key.split("/");
  if (parts.length > 2) {
    return [
      `a qualified name ${keySyntax} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const prefix = parts.length === 2 ? (parts[0] ?? "") : undefined;
  const name = parts.at(-1) ?? "";
  return [
    ...prefixFaults(prefix),
    ...(name === "" ? ["name part must be non-empty"] : []),
    ...(bytesOf(name) > 63 ? [`name part ${tooLong(63)}`] : []),
    ...(namePattern.test(name) ? [] : [`name part ${keySyntax}`]),
  ];
}

/** The faults of a label value; none if it is valid (apimachinery v0.32, `IsValidLabelValue`). */
export function labelValueFaults(value: string): readonly string[] {
  return [
    ...(bytesOf(value) > 63 ? [tooLong(63)] : []),
    ...(value === "" || namePattern.test(value) ? [] : [valueSyntax]),
  ];
}

// The messages of apimachinery v0.32 (util/validation), including the two spaces before "or".
const nameSyntax = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an";
const keySyntax = `${nameSyntax} alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`;
const valueSyntax = `a valid label must be an empty string or ${nameSyntax.slice("must ".length)} alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`;
const subdomainSyntax =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
// Every part but the first begins with a dot, so the pattern cannot backtrack; a part may be longer than a label.
const subdomainPattern = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const namePattern = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

function prefixFaults(prefix: string | undefined): readonly string[] {
  if (prefix === undefined) return [];
  if (prefix === "") return ["prefix part must be non-empty"];
  return [
    ...(bytesOf(prefix) > 253 ? [`prefix part ${tooLong(253)}`] : []),
    ...(subdomainPattern.test(prefix) ? [] : [`prefix part ${subdomainSyntax}`]),
  ];
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

function tooLong(most: number): string {
  return `must be no more than ${most} characters`;
}
