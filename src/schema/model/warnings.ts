/** An answer carries so many characters of warnings; beyond that each warning is cut (apiserver, endpoints/filters/warning.go). */
const mostInAll = 4096;
const mostOfEach = 256;

/** Warnings as an answer carries them: each once, none with control characters, long ones cut where they are many. */
export function asHeaders(warnings: readonly string[]): readonly string[] {
  const sent = [...new Set(warnings)].filter((text) => text !== "" && !/\p{Cc}/u.test(text));
  const length = sent.reduce((sum, text) => sum + [...text].length, 0);
  if (length <= mostInAll) return sent;
  let written = 0;
  const cut: string[] = [];
  for (const text of sent) {
    if (written >= mostInAll) break;
    const short = [...text].slice(0, mostOfEach);
    written += short.length;
    cut.push(short.join(""));
  }
  return cut;
}
