import { type CommandForm, formOf, type OptionForm } from "../../src/cli/completion/forms.ts";
import { program } from "../../src/cli.ts";
import { terminalOf } from "../support/cli.ts";

/** docs/reference/cli.md: every command and option, as the command line defines them. */
export function cliReference(): string {
  const root = program(terminalOf().terminal);
  const form = formOf(root);
  const sections = root.commands.map((command, index) => {
    const own = form.commands[index];
    return own === undefined ? "" : sectionOf(own, notesOf(command.name()));
  });
  const commands = form.commands.map(({ name, description }) => row(`[${name}](#${name})`, description));
  const table = ["| command | what it does |", "|---|---|", ...commands, ""].join("\n");
  return `${head}\n${table}\n${sections.join("\n")}`;
}

const head = `# Command line

<!-- Generated from the definitions in src/cli: RECORD=1 npx vitest run test/repository/cli-reference.test.ts -->

\`antechamber <command> --help\` prints the same. Results go to standard output, everything else to standard error.

Every option can also be set by an environment variable: \`--ops-port\` is \`ANTECHAMBER_OPS_PORT\`. The option takes precedence.
An option with \`...\` takes several values, or is repeated.

| exit code | meaning |
|---|---|
| 0 | success |
| 1 | an object was rejected, a law is broken, or a file is out of date |
| 2 | wrong usage, or input that cannot be read |
| 3 | an internal error |
| 4 | nothing was found, but not all was tried |
| 130, 143 | interrupted by Ctrl-C or by SIGTERM |
`;

function sectionOf(
  { name, usage, description, arguments: args, options }: CommandForm,
  notes: string,
): string {
  const rows = [
    ...args.map((each) => row(`\`${each.name}\``, each.description)),
    ...options.map((each) => row(`\`${each.usage}\``, descriptionOf(each))),
  ];
  const table = rows.length === 0 ? "" : ["", "| option | meaning |", "|---|---|", ...rows, ""].join("\n");
  const line = [
    "antechamber",
    name,
    ...(usage === "" ? [] : [usage]),
    ...(options.length === 0 ? [] : ["[options]"]),
  ];
  return [
    `## ${name}`,
    "",
    description,
    "",
    "```sh",
    line.join(" "),
    "```",
    table,
    "```",
    notes,
    "```",
    "",
  ].join("\n");
}

function descriptionOf({ description, values, defaultText, isMandatory }: OptionForm): string {
  const facts = [
    ...(isMandatory ? ["required"] : []),
    ...(values.length > 0 ? [values.map((value) => `\`${value}\``).join(", ")] : []),
    ...(defaultText === undefined ? [] : [`default: ${defaultText}`]),
  ];
  return facts.length === 0 ? description : `${description} (${facts.join("; ")})`;
}

function row(...cells: readonly string[]): string {
  return `| ${cells.map((each) => each.replaceAll("|", "\\|").replaceAll(/<(?=[^`]*$)/g, "\\<")).join(" | ")} |`;
}

/** What the help of a command says after its options. */
function notesOf(name: string): string {
  const { terminal, stdout } = terminalOf();
  const command = program(terminal).commands.find((each) => each.name() === name);
  if (command === undefined) throw new Error(`${name}: unknown command`);
  command.outputHelp();
  return stdout().slice(command.helpInformation().length).trim();
}
