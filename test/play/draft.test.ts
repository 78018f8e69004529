import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { draftedFrom } from "../../src/play/draft.ts";
import { panesOf } from "../../src/play/panes.ts";
import { stateOf } from "../../src/play/state.ts";
import { load, packages } from "./kinds.ts";

/** Without descriptions a renamed field is a guess. */
const crd = readFileSync("test/play/browser/crontabs.yaml", "utf8").replaceAll(
  ", description: When it runs.",
  "",
);

function drafted() {
  const found = draftedFrom(crd, { packages });
  if ("fault" in found) throw new Error(found.fault);
  return found;
}

function lensOf(files: Readonly<Record<string, string>>): string {
  return files["v1beta1.ts"] ?? "";
}

describe("the draft of a lens", () => {
  it("names the fields that it leaves to its author", () => {
    expect(drafted().notes).toEqual([
      "v1beta1 to v1: maybe renamed: spec.cronSpec to spec.schedule, without a counterpart: spec.image; decide in v1beta1.ts",
    ]);
  });

  it("takes the row that it proposes without another import", () => {
    const { files } = drafted().example;
    const [, row = ""] = /^\/\/ {3}(move\(.*\)), /m.exec(lensOf(files)) ?? [];
    const mended = lensOf(files).replace("lens()", `lens(${row})`);
    expect(row).toBe('move("spec.cronSpec", "spec.schedule")');
    const loaded = load({ ...files, "v1beta1.ts": mended });
    expect("faults" in loaded ? loaded.faults : []).toEqual([]);
  });

  it("lets a pane say that a field may have another name there", () => {
    const { example } = drafted();
    const loaded = load(example.files);
    if ("faults" in loaded) throw new Error(JSON.stringify(loaded.faults));
    const text =
      "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: { name: a }\nspec: { schedule: daily, image: own }\n";
    const [older] = panesOf(loaded, { ...stateOf(example), text });
    expect(older?.unseen.map(({ place, reason }) => [place, reason])).toEqual([
      ["spec.image", "v1beta1 has no field for it"],
      ["spec.schedule", "v1beta1 has no field for it; maybe renamed from spec.cronSpec: see v1beta1.ts"],
    ]);
  });

  it("says what to import of a word that it does not", () => {
    const { files } = drafted().example;
    const loaded = load({ ...files, "v1beta1.ts": lensOf(files).replace("lens()", "lens(union())") });
    expect("faults" in loaded ? loaded.faults[0]?.sentence : "").toBe(
      'union is not defined; add it to the import: import { union } from "antechamber"',
    );
  });
});
