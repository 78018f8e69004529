import type { Drafted } from "../draft.ts";
import { stateOf } from "../state.ts";
import { makeEditor } from "./editor.ts";
import { element } from "./elements.ts";
import { startEngine } from "./engine.ts";
import type { Page } from "./page.ts";

/** Where a CRD is pasted or dropped, and what `import` says of it. */
interface CrdDialog {
  readonly dom: HTMLElement;
  readonly open: () => void;
}

/** A CRD of a large operator has less. */
const mostText = 8 * 1024 * 1024;

export function crdDialog(page: Page): CrdDialog {
  const fault = element("pre", { class: "fault error", role: "alert" });
  const editor = makeEditor("yaml", "A CustomResourceDefinition", () => fault.replaceChildren());
  const file = element("input", {
    type: "file",
    accept: ".yaml,.yml,.json",
    "aria-label": "A file with a CustomResourceDefinition",
    onchange: () => read(file.files?.[0]),
  });
  const use = element("button", { class: "primary", onclick: () => draft() }, "Use this CRD");
  const dom = element(
    "dialog",
    { "aria-label": "Your own CRD" },
    element("h2", { class: "dialog-title" }, "Your own CRD"),
    element(
      "p",
      {},
      "Paste a CustomResourceDefinition with two or more versions, or drop its file anywhere on this page. A draft of the lens is made of the schemas. Nothing leaves this page.",
    ),
    editor.dom,
    fault,
    element(
      "div",
      { class: "buttons" },
      file,
      element("button", { onclick: () => dom.close() }, "Cancel"),
      use,
    ),
  );

  async function draft(): Promise<void> {
    use.disabled = true;
    fault.textContent = "reading it …";
    // A worker of its own: a large CRD takes seconds, in which the panes go on.
    const engine = startEngine();
    try {
      const drafted = await engine.ask<Drafted>("draft", editor.text());
      if ("fault" in drafted) {
        fault.textContent = drafted.fault;
        return;
      }
      fault.textContent = "";
      dom.close();
      const { example, notes } = drafted;
      page.change({ ...stateOf(example), files: example.files });
      page.say(`${example.title}: ${notes.join("; ")}`);
    } catch (error) {
      fault.textContent = String(error);
    } finally {
      engine.stop();
      use.disabled = false;
    }
  }

  async function read(dropped: File | undefined): Promise<void> {
    if (dropped === undefined) return;
    if (!dom.open) dom.showModal();
    if (dropped.size > mostText) {
      fault.textContent = `${dropped.name} has more than ${mostText / 1024 / 1024} MiB: give the one CRD`;
      return;
    }
    editor.show(await dropped.text());
    await draft();
  }

  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    read(event.dataTransfer?.files[0]);
  });
  return {
    dom,
    open: () => {
      dom.showModal();
      editor.focus();
    },
  };
}
