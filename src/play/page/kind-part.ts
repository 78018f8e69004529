import type { FileFault } from "../modules.ts";
import { makeEditor } from "./editor.ts";
import { element } from "./elements.ts";
import type { Page, Part } from "./page.ts";

/** The files of the kind: schemas and lenses, to be changed. */
interface KindPart extends Part {
  /** Marks what is wrong with the files. */
  readonly showFaults: (faults: readonly FileFault[]) => void;
}

export function kindPart(): KindPart {
  let faults: readonly FileFault[] = [];
  let redraw = () => {};
  return {
    id: "kind",
    title: "Schema and lens",
    make: (page) => {
      const made = makeFiles(page, () => faults);
      redraw = made.update;
      return made;
    },
    showFaults: (found) => {
      faults = found;
      redraw();
    },
  };
}

function makeFiles(page: Page, faults: () => readonly FileFault[]) {
  let file = "";
  const change = (text: string) => page.change({ files: { ...page.state().files, [file]: text } });
  const editors = {
    yaml: makeEditor("yaml", "The schema of a version", change),
    typescript: makeEditor("typescript", "The lens and the definition of the kind", change),
  };
  const names = element("div", { class: "files", role: "group", "aria-label": "Files of the kind" });
  const place = element("div", { class: "file" });
  const list = element("ul", { class: "problems" });
  const dom = element("div", {}, names, list, place);
  let drawn = "";

  function open(name: string): void {
    file = name;
    update();
  }

  function update(): void {
    const files = page.files();
    const all = ordered(Object.keys(files));
    if (!all.includes(file)) file = all[0] ?? "";
    const key = JSON.stringify([
      all,
      file,
      faults().map((each) => each.file),
      Object.keys(page.state().files),
    ]);
    if (key !== drawn) {
      drawn = key;
      names.replaceChildren(...all.map((name) => button(name)));
    }
    const editor = file.endsWith(".ts") ? editors.typescript : editors.yaml;
    if (place.firstChild !== editor.dom) place.replaceChildren(editor.dom);
    const own = faults().filter((each) => each.file === file);
    editor.show(files[file] ?? "", {
      problems: own.map(({ line = 1, column = 1, sentence }) => ({
        line,
        column,
        sentence,
        severity: "error",
      })),
    });
    list.replaceChildren(
      ...faults()
        .slice(0, 20)
        .map((each) => faultOf(each)),
    );
  }

  function faultOf({ file: name, line, sentence }: FileFault): HTMLElement {
    const where = line === undefined ? name : `${name}:${line}`;
    return element(
      "li",
      { class: "error" },
      element("button", { onclick: () => open(name) }, where),
      ` ${sentence}`,
    );
  }

  function button(name: string): HTMLElement {
    const isWrong = faults().some((each) => each.file === name);
    const isChanged = Object.hasOwn(page.state().files, name) && page.state().kind !== "";
    return element(
      "button",
      {
        class: isWrong ? "wrong" : "",
        "aria-pressed": String(name === file),
        onclick: () => open(name),
      },
      `${name}${isChanged ? " *" : ""}`,
    );
  }

  return { dom, update };
}

/** Lenses first, as they are changed most; what they import last. */
function ordered(names: readonly string[]): readonly string[] {
  const rank = (name: string) =>
    name.startsWith("../")
      ? 4
      : /^v\d\w*\.ts$/.test(name)
        ? 0
        : name.endsWith(".yaml")
          ? 1
          : name === "kind.ts"
            ? 2
            : 3;
  return names.toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}
