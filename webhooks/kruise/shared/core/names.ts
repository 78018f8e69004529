import { dnsSubdomainFaults } from "antechamber/apimachinery";

// The syntax of names and numbers, with the messages of apimachinery v0.32 (util/validation/validation.go).

/** A prefix of a subdomain: it may end with a hyphen. */
export function subdomainPrefixFaults(text: string): readonly string[] {
  return dnsSubdomainFaults(text.length > 1 && text.endsWith("-") ? `${text.slice(0, -2)}a` : text);
}

/** The name of a SidecarSet or BroadcastJob, as OpenKruise words it (validateSidecarSetName, validateBroadcastJobName). */
export function workloadNameFaults(text: string, kind: string): readonly string[] {
  const allowed = "^[a-zA-Z0-9\\-]+$";
  return [
    ...(/^[a-zA-Z0-9-]+$/.test(text)
      ? []
      : [pattern(`${kind} name must consist of alphanumeric characters or '-'`, allowed, "example-com")]),
    ...lengthFaults(text, 63),
  ];
}

/** The name of an environment variable. */
export function envNameFaults(text: string): readonly string[] {
  const allowed = "[-._a-zA-Z][-._a-zA-Z0-9]*";
  return [
    ...(/^[-._a-zA-Z][-._a-zA-Z0-9]*$/.test(text)
      ? []
      : [
          pattern(
            "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
            allowed,
            "my.env-name",
            "MY_ENV.NAME",
            "MyEnvName1",
          ),
        ]),
    ...dotFaults(text),
  ];
}

/** A key of a ConfigMap or a Secret. */
export function configKeyFaults(text: string): readonly string[] {
  const allowed = "[-._a-zA-Z0-9]+";
  return [
    ...lengthFaults(text, 253),
    ...(/^[-._a-zA-Z0-9]+$/.test(text)
      ? []
      : [
          pattern(
            "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
            allowed,
            "key.name",
            "KEY_NAME",
            "key-name",
          ),
        ]),
    ...dotFaults(text),
  ];
}

/** The name of a port. */
export function portNameFaults(text: string): readonly string[] {
  return [
    ...lengthFaults(text, 15),
    ...(/^[-a-z0-9]+$/.test(text)
      ? []
      : ["must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"]),
    ...(/[a-z]/.test(text) ? [] : ["must contain at least one letter (a-z)"]),
    ...(text.includes("--") ? ["must not contain consecutive hyphens"] : []),
    ...(/^-|-$/.test(text) ? ["must not begin or end with a hyphen"] : []),
  ];
}

/** The name of an HTTP header. */
export function headerFaults(text: string): readonly string[] {
  if (/^[-A-Za-z0-9]+$/.test(text)) return [];
  const what = "a valid HTTP header must consist of alphanumeric characters or '-'";
  return [pattern(what, "[-A-Za-z0-9]+", "X-Header-Name")];
}

/** A percentage. */
export function percentFaults(text: string): readonly string[] {
  if (/^[0-9]+%$/.test(text)) return [];
  const what = "a valid percent string must be a numeric string followed by an ending '%'";
  return [pattern(what, "[0-9]+%", "1%", "93%")];
}

/** A number in a range, inclusive. */
export function rangeFaults(value: bigint, least: number, most: number): readonly string[] {
  return value >= BigInt(least) && value <= BigInt(most) ? [] : [range(least, most)];
}

/** The message for a number outside a range. */
export function range(least: number, most: number): string {
  return `must be between ${least} and ${most}, inclusive`;
}

function lengthFaults(text: string, most: number): readonly string[] {
  return Buffer.byteLength(text) > most ? [`must be no more than ${most} characters`] : [];
}

function dotFaults(text: string): readonly string[] {
  if (text === ".") return ["must not be '.'"];
  if (text === "..") return ["must not be '..'"];
  return text.startsWith("..") ? ["must not start with '..'"] : [];
}

function pattern(what: string, allowed: string, ...examples: readonly string[]): string {
  const shown = examples.map((each) => `'${each}', `).join(" or ");
  return `${what} (e.g. ${shown}regex used for validation is '${allowed}')`;
}
