// Collects the pages for the site: docs/ with its map as the start page, and the pages beside it. VitePress needs them below the
// folder that has its packages. It fails for a link that leads to no page. Links to a running `antechamber play` lead to the same
// page beside them.
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { buildPage } from "../play.mjs";

const root = path.resolve(import.meta.dirname, "../..");
const target = path.join(import.meta.dirname, "pages");
const sources = globSync(["docs/**/*.{md,svg,webp}", "{CHANGELOG,CONTRIBUTING,SECURITY}.md"], { cwd: root });
const placeOf = (source) => source.replace(/^docs\//, "").replace(/^README\.md$/, "index.md");

rmSync(target, { recursive: true, force: true });
for (const source of sources) {
  const file = path.join(target, placeOf(source));
  mkdirSync(path.dirname(file), { recursive: true });
  const content = readFileSync(path.join(root, source), "utf8");
  writeFileSync(file, source.endsWith(".md") ? relinked(source, content) : content);
}

await buildPage(path.join(target, "public/play.html"));

/** The page with links that fit its new place. A link to a file that is no page, such as a test case, becomes text. */
function relinked(source, text) {
  // VitePress would look for a page of its own without the target.
  const played = text.replaceAll(
    /\[([^\]]*)\]\(http:\/\/127\.0\.0\.1:4180\/(#\S+) "[^"]*"\)/g,
    '<a href="/play.html$2" target="_self">$1</a>',
  );
  return played.replaceAll(/\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)/g, (link, label, href, section = "") => {
    if (/^\w+:/.test(href)) return link;
    const linked = path.join(path.dirname(source), href);
    if (!existsSync(path.join(root, linked))) throw new Error(`${source}: ${href} does not exist`);
    if (!sources.includes(linked)) return label;
    return `[${label}](${path.relative(path.dirname(placeOf(source)), placeOf(linked))}${section})`;
  });
}
