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
