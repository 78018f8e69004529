import type { Pane, Unseen } from "../panes.ts";
import { type Editor, makeEditor } from "./editor.ts";
import { element } from "./elements.ts";

/** One version on the page: its editor, and below it what stands nowhere in the text. */
export interface PaneView {
  readonly dom: HTMLElement;
  readonly show: (pane: Pane, isTyped: boolean) => void;
  readonly text: () => string;
  readonly setText: (text: string) => void;
}

/** Makes the pane of a version. `typed` gets what the user writes; `reread` ends the write. */
export function makePane(
  version: string,
  isHub: boolean,
  typed: (text: string) => void,
  reread: () => void,
): PaneView {
  const editor: Editor = makeEditor("yaml", `The object at ${version}`, typed);
  const again = element("button", { onclick: reread }, "Read back");
  const role = element("span", { class: "role" }, `a client of ${version} wrote this `, again);
  const summary = element("summary");
  const rows = element("tbody");
  const list = element(
    "details",
    { class: "unseen" },
    summary,
    element("table", {}, element("thead", {}, rowOf(["value", "", "why"], "th")), rows),
  );
  const problems = element("ul", { class: "problems" });
  let last: Pane | undefined;
  /** What came back is in sight in the text already: only a list that is open has it too. */
  const draw = () => {
    const { unseen = [], returned = [], text = "" } = last ?? {};
    rows.replaceChildren(...unseen.map(unseenRow), ...(list.open ? returnedRows(returned, text) : []));
  };
  list.addEventListener("toggle", draw);
  const dom = element(
    "section",
    { class: "pane", "aria-label": version, "data-version": version },
    element(
      "header",
      {},
      element("h2", {}, version),
      isHub ? element("span", { class: "hub" }, "stored version") : "",
      role,
    ),
    editor.dom,
    problems,
    list,
  );
  return {
    dom,
    text: editor.text,
    setText: editor.show,
    show: (pane, isTyped) => {
      editor.show(isTyped ? editor.text() : pane.text, pane);
      role.hidden = !isTyped;
      again.disabled = pane.unstored;
      dom.classList.toggle("typed", isTyped);
      const refused =
        isTyped && pane.unstored && pane.read !== ""
          ? [element("li", { class: "error" }, element("b", { class: "refusal" }, refusal))]
          : [];
      problems.replaceChildren(
        ...refused,
        ...pane.problems
          .slice(0, 20)
          .map(({ line, severity, sentence }) =>
            element("li", { class: severity }, element("b", {}, `line ${line} `), sentence),
          ),
      );
      list.hidden = pane.unseen.length === 0 && pane.returned.length === 0;
      summary.textContent = summaryOf(pane);
      last = pane;
      draw();
    },
  };
}

const refusal = "The API server refuses this, and stores nothing. The other panes show what it would become.";

function summaryOf({ unseen, returned }: Pane): string {
  const count = (sort: Unseen["sort"]) => unseen.filter((each) => each.sort === sort).length;
  const parts = [
    words(count("carried"), "value travels unseen", "values travel unseen"),
    words(returned.length, "line came back", "lines came back"),
    words(count("dropped"), "value was dropped", "values were dropped"),
    words(count("default"), "default is filled in", "defaults are filled in"),
  ];
  return parts.filter((each) => each !== "").join(", ");
}

function words(count: number, one: string, many: string): string {
  return count === 0 ? "" : `${count} ${count === 1 ? one : many}`;
}

function unseenRow({ sort, place, value, reason, owner }: Unseen): HTMLElement {
  const row = rowOf([place, value, `${sort === "carried" ? `for ${owner}: ` : ""}${reason}`], "td");
  row.className = sort;
  return row;
}

/** Lines that came back, those that follow each other in one row. */
function returnedRows(returned: readonly number[], text: string): readonly HTMLElement[] {
  const lines = text.split("\n");
  const firsts = returned.filter((line) => !returned.includes(line - 1));
  return firsts.map((first, index) => {
    const next = firsts[index + 1];
    const end = (next === undefined ? returned.at(-1) : returned[returned.indexOf(next) - 1]) ?? first;
    const place = first === end ? `line ${first}` : `lines ${first} to ${end}`;
    return rowOf([place, lines.slice(first - 1, end).join("\n"), "came back"], "td");
  });
}

function rowOf(cells: readonly string[], name: "td" | "th"): HTMLElement {
  return element("tr", {}, ...cells.map((each) => element(name, {}, each)));
}
