/** A line of the command and the text that it printed. */
export interface Shown {
  readonly command: string;
  readonly printed: string;
}

const columns = 104;
const rows = 26;
const lineHeight = 19;
const margin = 20;
const width = columns * 7.83 + 2 * margin;
const height = rows * lineHeight + 2 * margin;

interface Line {
  readonly text: string;
  readonly kind: "command" | "output";
  /** When it appears, in seconds from the start. */
  readonly at: number;
}

/**
 * A recording of a terminal as an SVG that moves by CSS alone: a viewer that does not animate, or whose user asks for less motion,
 * shows the last screen.
 */
export function terminalPicture(title: string, steps: readonly Shown[]): string {
  const lines = linesOf(steps);
  const end = (lines.at(-1)?.at ?? 0) + 1;
  const text = lines.map(
    ({ text: each, kind, at }, row) =>
      `      <text class="${kind}" y="${(row + 1) * lineHeight - 5}" style="animation-delay: ${seconds(at)}">${escaped(each)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width.toFixed(0)} ${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13" role="img" aria-labelledby="title">
  <title id="title">${escaped(title)}</title>
  <style>
    .page { fill: #f6f8fa; stroke: #d0d7de } .command { fill: #1a5fb4; font-weight: 600 } .output { fill: #1b2430 }
    text { white-space: pre; animation: appear 0.01s both } @keyframes appear { from { opacity: 0 } }
    .screen { transform: translateY(${-hiddenRows(lines.length) * lineHeight}px); animation: scroll ${seconds(end)} step-end }
    @keyframes scroll { ${scrolled(lines, end).join(" ")} }
    @media (prefers-reduced-motion) { text, .screen { animation: none } }
    @media (prefers-color-scheme: dark) { .page { fill: #12171e; stroke: #303a46 } .command { fill: #7ab7ff } .output { fill: #e4e9ef } }
  </style>
  <rect class="page" x="0.5" y="0.5" width="${(width - 1).toFixed(0)}" height="${height - 1}" rx="10"/>
  <clipPath id="view"><rect width="${(width - 2 * margin).toFixed(0)}" height="${rows * lineHeight}"/></clipPath>
  <g transform="translate(${margin} ${margin})" clip-path="url(#view)">
    <g class="screen" xml:space="preserve">
${text.join("\n")}
    </g>
  </g>
</svg>
`;
}

/** The lines of a screen: a second to read a command, and more the longer its answer is. */
function linesOf(steps: readonly Shown[]): readonly Line[] {
  const lines: Line[] = [];
  let at = 0.3;
  for (const { command, printed } of steps) {
    for (const text of wrapped(`$ ${command}`)) lines.push({ text, kind: "command", at });
    at += 1;
    const output = printed === "" ? [] : printed.trimEnd().split("\n").flatMap(wrapped);
    for (const text of output) lines.push({ text, kind: "output", at });
    at += output.length === 0 ? 0.5 : 1.5 + output.length / 6;
  }
  return lines;
}

function wrapped(line: string): readonly string[] {
  return line.match(new RegExp(`.{1,${columns}}`, "g")) ?? [""];
}

/** How many of the first lines are above the screen when `shown` lines have appeared. */
function hiddenRows(shown: number): number {
  return Math.max(0, shown - rows);
}

function scrolled(lines: readonly Line[], end: number): readonly string[] {
  const moments = [...new Set(lines.map(({ at }) => at))];
  return moments.map((moment, index) => {
    const shown = lines.filter(({ at }) => at <= moment).length;
    const percent = index === 0 ? 0 : (100 * moment) / end;
    return `${percent.toFixed(2)}% { transform: translateY(${-hiddenRows(shown) * lineHeight}px) }`;
  });
}

function seconds(value: number): string {
  return `${value.toFixed(2)}s`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
