import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

// A machine may be busy: what a test counts or sees decides, and its timeout ends what would never end.
const servers = /^test\/(cluster|soak|support\/(schemas-server|compat-replay))/;
const files = globSync("test/**/*.ts").filter((file) => file !== "test/repository/time.test.ts");

it("no test asserts that little time elapsed", () => {
  const asserts = (line: string) => /expect\(.*performance\.now\(\).*\.toBeLess/.test(line);
  expect(
    linesOf(
      files.filter((file) => file.endsWith(".test.ts")),
      asserts,
    ),
  ).toEqual([]);
});

it("no test without a real server measures time; clocks are passed in", () => {
  const measures = (line: string) => /(?<!\(\) => )performance\.now\(\)|hrtime|cpuUsage/.test(line);
  const tests = files.filter((file) => file.endsWith(".test.ts") && !servers.test(file));
  expect(linesOf(tests, measures)).toEqual([]);
});

it("no test sleeps; those with a real server poll, in a loop", () => {
  // Programs that run for minutes are no tests.
  expect(files.filter((file) => !file.endsWith("run.ts")).flatMap(sleepsIn)).toEqual([]);
});

it("a sleep is found outside of loops, and not in them", () => {
  const text =
    "  for (;;) {\n    await wait(20);\n  }\n  await wait(20);\n  await race([work, sleep(1_000)]);\n";
  expect(sleepsOf(text)).toEqual([3, 4]);
});

function sleepsIn(file: string): readonly string[] {
  return sleepsOf(readFileSync(file, "utf8")).map((index) => `${file}:${index + 1}`);
}

/** The indexes of lines that sleep for a fixed time outside of a loop. */
function sleepsOf(text: string): readonly number[] {
  const lines = text.split("\n");
  return lines.flatMap((line, index) => {
    if (!/await .*\b(wait|sleep|pause|setTimeout)\([\d_]+[),]/.test(line)) return [];
    const isLoop = (each: string) => /^\s*(for|while|do)\b/.test(each);
    return [line, ...around(lines, index)].some(isLoop) ? [] : [index];
  });
}

/** The first lines of the blocks around a line, innermost first. */
function around(lines: readonly string[], index: number): readonly string[] {
  let depth = (lines[index] ?? "").search(/\S/);
  return lines
    .slice(0, index)
    .reverse()
    .filter((line) => {
      const own = line.search(/\S/);
      if (own < 0 || own >= depth) return false;
      depth = own;
      return true;
    });
}

function linesOf(these: readonly string[], isFound: (line: string) => boolean): readonly string[] {
  return these.flatMap((file) =>
    readFileSync(file, "utf8")
      .split("\n")
      .flatMap((line, index) => (isFound(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  );
}
