import { Argument, Command } from "commander";
import { type CommandForm, formOf } from "./forms.ts";

const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

/** The command line of `antechamber completion`. */
export function completionCommand(write: (text: string) => void): Command {
  return new Command("completion")
    .description("Print a script that completes commands, options and their values in a shell.")
    .addArgument(new Argument("<shell>", "the shell").choices(shells))
    .addHelpText(
      "after",
      `
Example: source <(antechamber completion bash)
         source <(antechamber completion zsh)
         antechamber completion fish > ~/.config/fish/completions/antechamber.fish`,
    )
    .action((shell: Shell, _options, command: Command) => {
      write(scripts[shell](formOf(command.parent ?? command)));
    });
}

const scripts: Readonly<Record<Shell, (root: CommandForm) => string>> = {
  bash: bashScript,
  zsh: (root) => `autoload -U +X bashcompinit && bashcompinit\n${bashScript(root)}`,
  fish: fishScript,
};

/** Bash before version 4 is what macOS brings: no associative arrays, no mapfile. */
function bashScript({ commands }: CommandForm): string {
  const options = commands.map(
    ({ name, options }) =>
      `    ${name}) words="${[...options.flatMap(({ flags }) => flags), "--help"].join(" ")}" ;;`,
  );
  const values = commands.flatMap(({ name, options }) =>
    options
      .filter(({ values }) => values.length > 0)
      .map(
        ({ flags, values }) =>
          `    ${flags.map((flag) => `${name}:${flag}`).join("|")}) words="${values.join(" ")}" ;;`,
      ),
  );
  const takers = commands.flatMap(({ name, options }) =>
    options
      .filter(({ takesValue, values }) => takesValue && values.length === 0)
      .flatMap(({ flags }) => flags.map((flag) => `${name}:${flag}`)),
  );
  const args = commands
    .filter(({ values }) => values.length > 0)
    .map(({ name, values }) => `    ${name}) words="${values.join(" ")}" ;;`);
  return `_antechamber() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}" words=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(" ")} --help --version" -- "$current"))
    return
  fi
  case "$command:$previous" in
${values.join("\n")}
    ${takers.join("|")}) COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  if [ -z "$words" ]; then
    case "$current" in
      -*) case "$command" in
${options.join("\n")}
      esac ;;
      *) case "$command" in
${args.join("\n")}
      esac ;;
    esac
  fi
  if [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$current")); else COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -o filenames -F _antechamber antechamber
`;
}

function fishScript({ commands }: CommandForm): string {
  const names = commands.map(({ name }) => name).join(" ");
  const lines = commands.flatMap(({ name, description, options, values }) => {
    const after = `complete -c antechamber -n "__fish_seen_subcommand_from ${name}"`;
    return [
      `complete -c antechamber -f -n "not __fish_seen_subcommand_from ${names}" -a ${name} -d ${fishWord(description)}`,
      ...(values.length > 0 ? [`${after} -f -a ${fishWord(values.join(" "))}`] : []),
      ...options.map((each) => {
        const flags = each.flags.map((flag) =>
          flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
        );
        const taken =
          each.values.length > 0 ? ` -x -a ${fishWord(each.values.join(" "))}` : each.takesValue ? " -r" : "";
        return `${after} ${flags.join(" ")}${taken} -d ${fishWord(each.description)}`;
      }),
    ];
  });
  return `${lines.join("\n")}\n`;
}

function fishWord(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
