import type { Pane } from "../panes.ts";
import { type Example, type PlayState, stateOf } from "../state.ts";
import { type Controller, makeController } from "./controller.ts";
import { crdDialog } from "./crd-dialog.ts";
import { element } from "./elements.ts";
import { kindPart } from "./kind-part.ts";
import { lawsPart } from "./laws-part.ts";
import { lifePart } from "./life-part.ts";
import type { Part } from "./page.ts";
import { makePane, type PaneView } from "./pane-view.ts";
import { tabsOf } from "./tabs.ts";

const given: readonly Example[] = JSON.parse(document.getElementById("examples")?.textContent ?? "[]");
const kind = kindPart();
/** What stands below the panes, tab by tab. */
const parts: readonly Part[] = [kind, lifePart, lawsPart];

start();

function start(): void {
  const grid = element("div", { class: "panes" });
  const status = element("p", { class: "status", role: "status" });
  const banner = element(
    "div",
    { class: "banner", role: "alert", hidden: true },
    "This link brings code of its own. Read it below; it runs in a sandbox when you say so. ",
    element("button", { onclick: () => page.trust() }, "Run it"),
  );
  let views = new Map<string, PaneView>();
  const page: Controller = makeController(given, {
    showPanes,
    showFaults: (faults) => {
      kind.showFaults(faults);
      grid.classList.toggle("stale", faults.length > 0);
    },
    showVersions: (versions, name) => {
      for (const { update } of made) update();
      // Editors of another kind would undo changes to its objects.
      const key = [name, ...versions].join();
      if (grid.dataset.kind === key) return;
      grid.dataset.kind = key;
      views = new Map(
        versions.map((version) => [
          version,
          makePane(
            version,
            version === versions.at(-1),
            (text) => typed(version, text),
            () => reread(page.state().stored),
          ),
        ]),
      );
      grid.style.setProperty("--panes", String(versions.length));
      grid.replaceChildren(...[...views.values()].map(({ dom }) => dom));
    },
    askToRun: (isWaiting) => {
      banner.hidden = !isWaiting;
    },
    say: (sentence) => {
      status.textContent = sentence;
    },
    work: (isWorking) => {
      document.body.dataset.state = isWorking ? "working" : "settled";
    },
    update: () => {
      const { kind: id, stored, plain } = page.state();
      gallery.value = id;
      about.textContent = page.examples().find((each) => each.id === id)?.about ?? "";
      storedSwitch.checked = stored;
      plainSwitch.checked = plain;
      for (const { update } of made) update();
      keepLink();
    },
  });

  function showPanes(panes: readonly Pane[], state: PlayState): void {
    for (const pane of panes) {
      const view = views.get(pane.version);
      const isTyped = pane.version === state.at;
      // Text that came by an example or a link is not in the editor yet.
      if (isTyped && page.state() === state && view?.text() !== state.text) view?.setText(state.text);
      view?.show(pane, isTyped);
    }
    const isWhole = panes.length === views.size;
    grid.classList.toggle("stale", !isWhole);
    grid.classList.toggle("unstored", isWhole && panes.some(({ unstored }) => unstored));
  }

  /** A client of a version writes. What it had read is what its pane showed before its first change. */
  function typed(version: string, text: string): void {
    const { at, read } = page.state();
    const before = page.panes().find((each) => each.version === version)?.read ?? "";
    page.change({ at: version, text, read: at === version ? read : before });
  }

  const gallery = element("select", {
    "aria-label": "Example",
    onchange: () => {
      const found = page.examples().find(({ id }) => id === gallery.value);
      if (found !== undefined) page.change(stateOf(found));
    },
  });
  fillGallery();
  function fillGallery(): void {
    gallery.replaceChildren(
      ...page.examples().map(({ id, title }) => element("option", { value: id }, title)),
      element("option", { value: "", hidden: true }, "Your own CRD"),
    );
  }
  const about = element("p", { class: "about" });
  const storedSwitch = element("input", {
    type: "checkbox",
    role: "switch",
    onchange: () => reread(storedSwitch.checked),
  });
  const plainSwitch = element("input", {
    type: "checkbox",
    role: "switch",
    onchange: () => page.change({ plain: plainSwitch.checked }),
  });

  /** The client that wrote reads its object back, with its carriers or without. */
  async function reread(stored: boolean): Promise<void> {
    const state = page.state();
    // Without carriers there is nothing to show or to hide, and comments stay.
    const isPlain = state.read === "" && stored !== state.stored;
    document.body.dataset.state = "working";
    const ask = () => page.engine().ask<Partial<PlayState> | undefined>("reread", { state, stored });
    const back = isPlain ? {} : await ask().catch(() => undefined);
    // What was written meanwhile counts.
    if (page.state() !== state) return;
    page.change({ stored, ...back });
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** The address follows the state, though not at each key: browsers limit how often it may change. */
  function keepLink(): void {
    clearTimeout(timer);
    timer = setTimeout(() => history.replaceState(null, "", `#${page.link()}`), 400);
  }
  const copy = element(
    "button",
    {
      onclick: async () => {
        history.replaceState(null, "", `#${page.link()}`);
        await navigator.clipboard?.writeText(location.href);
        page.say("The link is in the clipboard. It holds all that you see, and nothing was sent anywhere.");
      },
    },
    "Copy link",
  );
  const dialog = crdDialog(page);
  const made = parts.map((part) => ({ part, ...part.make(page) }));
  document.body.append(
    element(
      "header",
      { class: "top" },
      element("h1", {}, "Antechamber", element("span", {}, "versions side by side")),
      gallery,
      switchOf(storedSwitch, "as stored"),
      switchOf(plainSwitch, "without carriers"),
      element("button", { onclick: () => dialog.open() }, "Your own CRD…"),
      copy,
    ),
    banner,
    dialog.dom,
    element(
      "main",
      {},
      about,
      legend(),
      element("p", { class: "about terms" }, ...terms()),
      status,
      grid,
      tabsOf(made.map(({ part, dom }) => ({ ...part, dom }))),
    ),
  );
  page.begin(location.hash.slice(1));
  window.addEventListener("hashchange", () => page.begin(location.hash.slice(1)));
  const { live } = document.body.dataset;
  if (live !== undefined)
    new EventSource(live).addEventListener("message", ({ data }) => {
      page.setExamples(JSON.parse(data));
      fillGallery();
    });
}

/** What the colours mean, and what typing is. */
function legend(): HTMLElement {
  return element(
    "ul",
    { class: "legend" },
    element("li", {}, "typing in a pane: a client of that version replaces the object that it read"),
    element("li", { class: "carried" }, "travels unseen"),
    element("li", { class: "returned" }, "came back"),
    element("li", { class: "dropped" }, "was dropped"),
  );
}

/** What the switches and Read back mean. */
function terms(): readonly (string | HTMLElement)[] {
  return [
    "Carriers are an annotation and a field of status: they hold what a version cannot say. ",
    element("b", {}, "As stored"),
    " shows them. ",
    element("b", {}, "Without carriers"),
    " a webhook only maps fields, and those values are lost, in the panes and in the steps of clients. ",
    element("b", {}, "Read back"),
    " ends a write: its client reads the result, and changes that from then on.",
  ];
}

function switchOf(input: HTMLInputElement, label: string): HTMLElement {
  return element("label", { class: "switch" }, input, label);
}
