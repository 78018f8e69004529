import type { Argument, Command, Option } from "commander";

/** What a command line accepts, as data: for shell completion and the reference. */
export interface CommandForm {
  readonly name: string;
  readonly description: string;
  /** Its arguments as the help writes them: `[folder...]`. */
  readonly usage: string;
  readonly arguments: readonly { readonly name: string; readonly description: string }[];
  /** The values of its arguments, if only these are allowed. */
  readonly values: readonly string[];
  readonly options: readonly OptionForm[];
  readonly commands: readonly CommandForm[];
}

/** An option. */
export interface OptionForm {
  /** `-f`, `--file`. */
  readonly flags: readonly string[];
  /** As the help writes it: `-f, --file <path...>`. */
  readonly usage: string;
  readonly description: string;
  readonly takesValue: boolean;
  /** The values, if only these are allowed. */
  readonly values: readonly string[];
  readonly isMandatory: boolean;
  /** The default as the help writes it. */
  readonly defaultText: string | undefined;
}

/** The form of a command with its subcommands, without commander's own `help`. */
export function formOf(command: Command): CommandForm {
  return {
    name: command.name(),
    description: command.description(),
    usage: command.registeredArguments.map(argumentText).join(" "),
    arguments: command.registeredArguments.map((each) => ({
      name: each.name(),
      description: each.description,
    })),
    values: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    options: command.options.filter(({ hidden }) => !hidden).map(optionForm),
    commands: command.commands.map(formOf),
  };
}

function argumentText(argument: Argument): string {
  const text = argument.variadic ? `${argument.name()}...` : argument.name();
  return argument.required ? `<${text}>` : `[${text}]`;
}

function optionForm(option: Option): OptionForm {
  const { short, long, flags, description, required, optional, argChoices, mandatory } = option;
  return {
    flags: [short, long].filter((flag) => flag !== undefined),
    usage: flags,
    description,
    takesValue: required || optional,
    values: argChoices ?? [],
    isMandatory: mandatory,
    defaultText: defaultText(option),
  };
}

/** As commander's help: a switch that is off by default has no default to speak of. */
function defaultText({ defaultValue, defaultValueDescription }: Option): string | undefined {
  if (defaultValueDescription !== undefined) return defaultValueDescription;
  return defaultValue === undefined || defaultValue === false ? undefined : String(defaultValue);
}
