import { parseArgs } from "node:util";
import { throwAll } from "../api-client/read-all.ts";
import { problemsOf } from "../api-client/read-arguments.ts";
import { ConfigError, type ConfigInputs, loadConfig } from "../config/load.ts";
import { GatewayError } from "../errors.ts";
import { placedProblem } from "../file-problem.ts";
import { nearestName } from "../nearest.ts";
import { PluginError } from "../plugin-host/files/check.ts";
import { programName } from "../runtime/platform.ts";
import { StartError } from "../serve/start-error.ts";
import type { Command, Invocation, Terminal } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { printHelp } from "./help.ts";
import { CONFIG_OPTION } from "./options.ts";
import { CommandError, UsageError } from "./usage-error.ts";

export { takeEnvironment } from "./take-environment.ts";

/** Commands that run with a broken configuration. */
const WITHOUT_CONFIG: ReadonlySet<string> = new Set(["help", "version"]);

/** Runs one command line. @returns the exit status: 0 done, 1 failed, 2 bad usage. Never throws. */
export async function runCommandLine(words: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await run(words, terminal);
  } catch (error) {
    for (const line of linesOf(error)) terminal.err(`${line}\n`);
    const all: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
    return all.every((each) => each instanceof UsageError) ? 2 : 1;
  }
}

async function run(words: readonly string[], terminal: Terminal): Promise<number> {
  const [first] = words;
  if (first === undefined || isHelp(first)) {
    printHelp(COMMANDS, terminal, []);
    return 0;
  }
  if (first === "--version" || first === "-v") return run(["version"], terminal);
  if (isHelp(words[1])) {
    printHelp(COMMANDS, terminal, [first]);
    return 0;
  }
  const { command, rest } = findCommand(words);
  if (rest.some(isHelp)) {
    printHelp(COMMANDS, terminal, command.name.split(" "));
    return 0;
  }
  const { options, args }: Words = command.readsItsOwnWords ? { options: {}, args: rest } : parse(command, rest);
  const { env, workingDirectory } = terminal;
  const file = options["config"] as string | undefined;
  const without = { env: {}, workingDirectory, file: null };
  const inputs =
    WITHOUT_CONFIG.has(command.name) || command.readsItsOwnWords ? without : { env, workingDirectory, file };
  const problem = command.takesBrokenConfig ? problemOf(inputs) : undefined;
  const loaded = loadConfig(problem === undefined ? inputs : without);
  const runCommand = await command.load();
  return runCommand({ options, args, terminal, loaded, config: loaded.config, ...(problem && { problem }) });
}

function isHelp(word: string | undefined): boolean {
  return word === "--help" || word === "-h";
}

function problemOf(inputs: ConfigInputs): ConfigError | undefined {
  try {
    loadConfig(inputs);
    return undefined;
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

function findCommand(words: readonly string[]): { command: Command; rest: readonly string[] } {
  const two = words.slice(0, 2).join(" ");
  const command = COMMANDS.find(({ name }) => name === two) ?? COMMANDS.find(({ name }) => name === words[0]);
  if (command !== undefined) return { command, rest: words.slice(command.name.split(" ").length) };
  const [first = "", second] = words;
  const group = COMMANDS.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name);
  if (group.length > 0) {
    const wrong = second === undefined ? `"${first}" needs a command` : `there is no command "${two}"`;
    throw new UsageError(`${wrong}; known: ${group.join(", ")}`);
  }
  if (first.startsWith("-"))
    throw new UsageError(`write ${first.split("=")[0]} after the command; try \`${programName} help\``);
  const near = nearestName(first, new Set(COMMANDS.map(({ name }) => name.split(" ")[0]!)));
  const hint = near === undefined ? "try" : `did you mean "${near}"? Try`;
  throw new UsageError(`there is no command "${first}"; ${hint} \`${programName} help\``);
}

type Words = Pick<Invocation, "options" | "args">;

function parse(command: Command, words: readonly string[]): Words {
  const options = { ...command.options, config: CONFIG_OPTION };
  const known = Object.fromEntries(
    Object.entries(options).map(([name, { type, short, multiple }]) => [
      name,
      { type, ...(short === undefined ? {} : { short }), ...(multiple === undefined ? {} : { multiple }) },
    ]),
  );
  const problems = problemsOf(words, known, true);
  const help = `(see weir help ${command.name})`;
  throwAll(problems.map((problem) => new UsageError(`${command.name}: ${problem} ${help}`)));
  const parsed = parseArgs({ args: [...words], options: known, allowPositionals: true, strict: true });
  const { alone } = command;
  const wanted = alone !== undefined && parsed.values[alone] === true ? [] : (command.args ?? []);
  const given = parsed.positionals;
  const takesMore = command.name === "help" || wanted.at(-1)?.endsWith("…]");
  if (!takesMore && given.length !== wanted.length) {
    const takes = wanted.length === 0 ? "no arguments" : wanted.join(" ");
    const not = given.length === 0 ? "nothing" : given.join(" ");
    throw new UsageError(`${command.name} takes ${takes}, not ${not} ${help}`);
  }
  return { options: parsed.values as Record<string, string | boolean | string[] | undefined>, args: given };
}

/** The error output: one line per error, and a stack only for bugs. */
function linesOf(error: unknown): readonly string[] {
  if (error instanceof ConfigError) return error.lines.map((line) => `weir: ${line}`);
  if (error instanceof AggregateError) return error.errors.flatMap(linesOf);
  const known = [UsageError, CommandError, StartError, PluginError, GatewayError].some((kind) => error instanceof kind);
  if (error instanceof Error && "syscall" in error) return [`weir: ${placedProblem(error)}`];
  if ((error as { code?: unknown })?.code === "ERR_DLOPEN_FAILED") return [`weir: ${noNativePart(error as Error)}`];
  if (known) return [`weir: ${(error as Error).message}`];
  return [`weir: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`];
}

function noNativePart({ message }: Error): string {
  return `the database's native part cannot be loaded: ${message}; the binary unpacks it, 10 MB, where programs may run: set TMPDIR to such a directory`;
}
