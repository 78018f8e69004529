import { fileURLToPath } from "node:url";
import { Command } from "commander";
import packageJson from "../../../package.json" with { type: "json" };
import { consoleOf, type Terminal } from "../console.ts";
import { option } from "../options.ts";

/** The command line of `antechamber init`. */
export function initCommand(terminal: Terminal): Command {
  return new Command("init")
    .description("Make a project with one kind of two versions, its lens and examples, to start from.")
    .argument("<folder>", "folder of the project, whose last part is its name")
    .addOption(
      option(
        "--package <spec>",
        "what npm installs as antechamber; a packed package, as file:../antechamber.tgz, is copied into the project (default: the file that the current project has it from, the one that npx runs, one in the current folder, else this release)",
      ),
    )
    .addOption(option("--force", "replace existing files").default(false))
    .addHelpText("after", "\nExample: antechamber init blinds && cd blinds && npm install && npm test")
    .action(async (folder: string, options) => {
      const { init } = await import("./run.ts");
      const { version, devDependencies } = packageJson;
      const release = {
        version,
        typescript: devDependencies.typescript,
        file: fileURLToPath(import.meta.url),
      };
      await init(folder, options, release, consoleOf(terminal));
    });
}
