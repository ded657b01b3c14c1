import { programName } from "../runtime/platform.ts";
import type { Command, Option, Run, Terminal } from "./command.ts";
import { CONFIG_OPTION } from "./options.ts";
import { UsageError } from "./usage-error.ts";
import { foldTo } from "./width.ts";

/** Minimum columns for a description beside its term; with fewer it goes below. */
const LEAST = 20;

export const helpCommand =
  (commands: readonly Command[]): Run =>
  async ({ args, terminal }) => {
    printHelp(commands, terminal, args);
    return 0;
  };

/**
 * Prints help, fitted to a terminal's width.
 *
 * @param commands - all commands, in the order of help.
 * @param words - of a command, such as `keys create`, or the first word of several commands; none for all of Weir.
 * @throws UsageError if there is no such command.
 */
export function printHelp(
  commands: readonly Command[],
  { out, columns = Number.POSITIVE_INFINITY }: Terminal,
  words: readonly string[],
): void {
  const lines = helpText(commands, words).split("\n");
  out(lines.map((line) => folded(line, columns)).join("\n"));
}

/** Wraps a line within the width; continuations are aligned with their column. */
function folded(line: string, columns: number): string {
  const [left = ""] = /^ +\S.*? {2,}(?=\S)/.exec(line) ?? [];
  return foldTo(columns, line, left.length < columns - LEAST ? left.length : 4);
}

function helpText(commands: readonly Command[], words: readonly string[]): string {
  if (words.length === 0) return overview(commands);
  const name = words.join(" ");
  const command = commands.find((each) => each.name === name);
  if (command !== undefined) return explain(command);
  const group = commands.filter((each) => each.name.startsWith(`${name} `));
  if (group.length === 0) throw new UsageError(`there is no command "${name}"; \`${programName} help\` lists them`);
  return `usage: ${programName} ${name} <command>\n\ncommands:\n${rows(group.map(({ name, summary }) => [name, summary]))}\n`;
}

function overview(commands: readonly Command[]): string {
  return [
    "Weir passes requests to LLM providers through unchanged, records them, and lets you query the records.",
    "",
    `usage: ${programName} <command> [options]`,
    "",
    "commands:",
    rows(commands.map((each) => [[each.name, ...(each.args ?? [])].join(" "), each.summary])),
    "",
    `\`${programName} help <command>\` explains a command, \`${programName} config\` shows every setting.`,
    "",
  ].join("\n");
}

function explain(command: Command): string {
  const options = { ...command.options, ...(command.readsItsOwnWords ? {} : { config: CONFIG_OPTION }) };
  const usage = [programName, command.name, "[options]", ...(command.args ?? [])].join(" ");
  const notes = (command.notes ?? []).map((note) => `\n${note}\n`).join("");
  return `usage: ${usage}\n\n${capital(command.summary)}.\n${notes}\noptions:\n${rows(Object.entries(options).map(optionRow))}\n`;
}

function optionRow([name, { short, value, description }]: [string, Option]): [string, string] {
  return [
    `${short === undefined ? "    " : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`,
    description,
  ];
}

function rows(entries: readonly (readonly [string, string])[]): string {
  const width = Math.max(...entries.map(([left]) => left.length));
  return entries.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join("\n");
}

function capital(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
