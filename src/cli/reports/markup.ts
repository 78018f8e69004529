const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\r": "&#13;",
  "\t": "&#9;",
  "\n": "&#10;",
};

/** Text for an element of XML or HTML. What XML 1.0 cannot say at all (production Char) is left out. */
export function escaped(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "")
    .replaceAll(/[&<>\r]/g, (character) => entities[character] ?? character);
}

/** Text for an attribute, in which a reader would take line ends and tabs for spaces. */
export function attribute(text: string): string {
  return escaped(text).replaceAll(/["\t\n]/g, (character) => entities[character] ?? character);
}
