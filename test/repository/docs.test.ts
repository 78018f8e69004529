import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };

const pages = ["README.md", "CONTRIBUTING.md", "SECURITY.md", ...globSync("docs/**/*.md")];

interface Link {
  readonly page: string;
  readonly file: string;
  readonly section: string;
}

function linksOf(page: string): readonly Link[] {
  const text = readFileSync(page, "utf8").replaceAll(/^```[\s\S]*?^```$/gm, "");
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = ""]) => {
    const [file = "", section = ""] = target.split("#");
    if (/^https?:/.test(file)) return [];
    return [{ page, file: file === "" ? page : path.join(path.dirname(page), file), section }];
  });
}

const links = pages.flatMap(linksOf);

it("every link leads to a file and a section", () => {
  expect(links.length).toBeGreaterThan(150);
  expect(links.filter(({ file, section }) => !existsSync(file) || !hasSection(file, section))).toEqual([]);
});

function hasSection(file: string, section: string): boolean {
  return section === "" || anchorsOf(readFileSync(file, "utf8")).includes(section);
}

/** The anchors that GitHub makes of headings: lower case, without punctuation, hyphens for spaces. */
function anchorsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

it("the package has what the README and the pages link to", () => {
  const packed = [...packageJson.files, "README.md", "LICENSE", "package.json"];
  const isPacked = (file: string) => packed.some((each) => file === each || file.startsWith(`${each}/`));
  const shipped = links.filter(({ page }) => isPacked(page) && page !== "CONTRIBUTING.md");
  // The project whose mistakes are listed is a test case, which a package does not need.
  const missing = shipped.filter(({ file }) => !isPacked(file) && !file.startsWith("test/cases/"));
  expect(missing).toEqual([]);
});

it("the index names every page", () => {
  const named = new Set(linksOf("docs/README.md").map(({ file }) => file));
  expect(globSync("docs/**/*.md").filter((page) => page !== "docs/README.md" && !named.has(page))).toEqual(
    [],
  );
});

it("each file and folder that CONTRIBUTING names exists, and each folder of src is named", () => {
  const roots = "bench|certs|docs|examples|manifests|src|test|tools|webhooks";
  const paths = new RegExp(`\`((?:${roots})/[\\w./-]*)\``, "g");
  const named = [...readFileSync("CONTRIBUTING.md", "utf8").matchAll(paths)].map(([, name = ""]) => name);
  expect(named.length).toBeGreaterThan(80);
  expect(named.filter((name) => !existsSync(name))).toEqual([]);
  const folders = globSync("src/*", { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(named).toEqual(expect.arrayContaining(folders.map(({ name }) => `src/${name}/`)));
});

it("each file that CONTRIBUTING names without a folder exists in some folder", () => {
  const files = globSync(["{certs,src,test,webhooks}/**/*.ts", "tools/*.mjs"]).map((file) =>
    path.basename(file),
  );
  const named = [...readFileSync("CONTRIBUTING.md", "utf8").matchAll(/`([\w-]+\.(?:ts|mjs))`/g)];
  expect(named.map(([, name = ""]) => name).filter((name) => !files.includes(name))).toEqual([]);
});

/** The rows of CONTRIBUTING's "Where is …?": what an answer names, each in its order. */
const answers = sectionOf(readFileSync("CONTRIBUTING.md", "utf8"), "Where is …?")
  .matchAll(/^\| (.+?) \| (.+) \|$/gm)
  .map(([, question = "", answer = ""]) => ({ question, answer }))
  .filter(({ answer }) => answer.includes("`"))
  .toArray();

function sectionOf(page: string, heading: string): string {
  return page.split(/^## /m).find((section) => section.startsWith(heading)) ?? "";
}

/** The files that an answer names. One without its whole path stands in a folder of the file before it, or above that. */
function filesIn(answer: string): readonly (string | undefined)[] {
  let folder = ".";
  return [...answer.matchAll(/`([\w./-]+(?:\/|\.(?:ts|mjs|yaml|md|json)))`/g)].map(([, name = ""]) => {
    const found = above(folder)
      .map((each) => path.join(each, name))
      .find((each) => existsSync(each));
    if (found !== undefined) folder = name.endsWith("/") ? found : path.dirname(found);
    return found;
  });
}

function above(folder: string): readonly string[] {
  return folder === "." ? ["."] : [folder, ...above(path.dirname(folder))];
}

/** The names of code in an answer: `name` in or of a file, those in brackets behind one, and all in camel case. */
function namesIn(answer: string): readonly string[] {
  const placed = /`(\w+)`(?: and `\w+`)?(?= (?:in|of) `[\w./-]+`)/g;
  const others = /`([a-z]+[A-Z]\w*)`|(?<=\(|\(`\w+`, )`(\w+)`(?=[,)])/g;
  return [...answer.matchAll(placed), ...answer.matchAll(others)].map(([, a, b]) => a ?? b ?? "");
}

function declares(file: string, name: string): boolean {
  if (!file.endsWith(".ts")) return false;
  const declared = `(?:function|const|class|interface|type|readonly) ${name}\\b|^\\s+(?:async )?${name}[(<]`;
  return new RegExp(declared, "m").test(readFileSync(file, "utf8"));
}

it("each answer to where something is leads to its files, and they declare what it names", () => {
  const faults = answers.flatMap(({ question, answer }) => {
    const files = filesIn(answer);
    if (files.includes(undefined)) return [`${question} ${answer}`];
    const names = namesIn(answer).filter((name) => !files.some((file) => declares(file ?? "", name)));
    return names.map((name) => `${question} ${name}`);
  });
  expect(answers.length).toBeGreaterThan(60);
  expect(answers.flatMap(({ answer }) => namesIn(answer)).length).toBeGreaterThan(20);
  expect(faults).toEqual([]);
});

it("the README has at most 100 lines", () => {
  expect(readFileSync("README.md", "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(100);
});

it("the messages of docs/guides/troubleshooting.md are those of the program", () => {
  const page = readFileSync("docs/guides/troubleshooting.md", "utf8");
  // Those of the API server are in tests that provoked them, if at all.
  const own = page
    .replace(/^## Messages of kubectl[\s\S]*?(?=^## )/m, "")
    .replace(/^## Without a message[\s\S]*/m, "");
  const sources = globSync(["src/**/*.ts", "certs/*.ts", "bin/*.js"]).map((file) =>
    readFileSync(file, "utf8"),
  );
  const messages = [...own.matchAll(/^\| `([^`]+)` \|/gm)].map(([, message = ""]) => message);
  expect(messages.length).toBeGreaterThan(25);
  const unknown = messages.filter((message) => !sources.some((source) => hasAll(source, message.split("…"))));
  expect(unknown).toEqual([]);
});

function hasAll(source: string, parts: readonly string[]): boolean {
  return parts.every((part) => source.includes(part.trim()));
}
