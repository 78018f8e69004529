import { element } from "./elements.ts";

interface Tab {
  readonly id: string;
  readonly title: string;
  readonly dom: HTMLElement;
}

/** Tabs over panels, of which one is shown: with arrows, Home and End, as the ARIA pattern for tabs has them. */
export function tabsOf(tabs: readonly Tab[]): HTMLElement {
  const heads = tabs.map(({ id, title }) =>
    element(
      "button",
      { role: "tab", id: `tab-${id}`, "aria-controls": id, onclick: () => select(id) },
      title,
    ),
  );
  const panels = tabs.map(({ id, dom }) =>
    element("div", { role: "tabpanel", id, "aria-labelledby": `tab-${id}`, tabindex: "0" }, dom),
  );
  function select(id: string): void {
    for (const [index, tab] of tabs.entries()) {
      const isOpen = tab.id === id;
      heads[index]?.setAttribute("aria-selected", String(isOpen));
      heads[index]?.setAttribute("tabindex", isOpen ? "0" : "-1");
      if (panels[index] !== undefined) panels[index].hidden = !isOpen;
    }
  }
  const list = element("div", { role: "tablist", "aria-label": "Below the panes" }, ...heads);
  list.addEventListener("keydown", ({ key }) => {
    const now = heads.indexOf(document.activeElement as HTMLButtonElement);
    const last = heads.length - 1;
    const next = {
      ArrowRight: now === last ? 0 : now + 1,
      ArrowLeft: now === 0 ? last : now - 1,
      Home: 0,
      End: last,
    }[key];
    const tab = next === undefined ? undefined : tabs[next];
    if (now < 0 || tab === undefined) return;
    select(tab.id);
    heads[next ?? 0]?.focus();
  });
  if (tabs[0] !== undefined) select(tabs[0].id);
  return element("section", { class: "parts", "aria-label": "The kind" }, list, ...panels);
}
