import { readFileSync } from "node:fs";
import path from "node:path";
import { defineConfig } from "vitepress";

const pages = path.resolve(import.meta.dirname, "../pages");

/** The rooms of the map: a heading, and below it the links of its table. */
function sidebar() {
  return readFileSync(path.join(pages, "index.md"), "utf8")
    .split(/^## /m)
    .slice(1)
    .map((room) => ({
      text: room.slice(0, room.indexOf("\n")),
      items: [...room.matchAll(/(?<=^\|.*)\[([^\]]+)\]\((\w[\w/-]*)\.md\)/gm)].map(([, text, page]) => ({
        text: text[0].toUpperCase() + text.slice(1),
        link: `/${page}`,
      })),
    }));
}

/** The braces of Helm and of Prometheus are no expressions of Vue. */
function withoutExpressions({ renderer: { rules } }) {
  for (const type of ["text", "code_inline"]) {
    const rule = rules[type];
    rules[type] = (...args) => rule(...args).replaceAll("{{", "&#123;&#123;");
  }
}

export default defineConfig({
  // An address in an example of a command is no page.
  ignoreDeadLinks: "localhostLinks",
  title: "Antechamber",
  description: "Conversion and admission webhooks for Kubernetes, without loss between versions",
  lang: "en-GB",
  srcDir: pages,
  outDir: path.resolve(import.meta.dirname, "../../../site"),
  cleanUrls: true,
  markdown: { config: withoutExpressions },
  themeConfig: {
    nav: [
      { text: "Tutorial", link: "/learn/tutorial" },
      { text: "Changes", link: "/CHANGELOG" },
      { text: "Contributing", link: "/CONTRIBUTING" },
    ],
    sidebar: sidebar(),
    outline: [2, 3],
    search: { provider: "local" },
  },
});
