import { type ParseArgsConfig, parseArgs } from "node:util";
import { nearestName } from "../nearest.ts";
import { usageFailure } from "./failure.ts";
import { throwAll } from "./read-all.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;

/**
 * Reads options and arguments of a command line.
 *
 * @throws ExportFailure of kind `usage`, or an AggregateError of several.
 */
export function readArguments<const T extends Options, const P extends boolean>(
  words: readonly string[],
  options: T,
  allowPositionals: P,
) {
  throwAll(problemsOf(words, options, allowPositionals).map(usageFailure));
  return parseArgs({ args: [...words], options, strict: true, allowPositionals });
}

/** The errors of a command line, one sentence each. After an option without a value the rest is not read. */
export function problemsOf(words: readonly string[], options: Options, allowPositionals: boolean): readonly string[] {
  const { tokens } = parseArgs({ args: [...words], options, strict: false, allowPositionals: true, tokens: true });
  const problems = new Set<string>();
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const { name, rawName, value, inlineValue } = token;
    if (!Object.hasOwn(options, name)) problems.add(noSuchOption(rawName, name, Object.keys(options)));
    else if (options[name]!.type === "boolean") {
      if (value !== undefined) problems.add(`${rawName} takes no value`);
    } else if (value === undefined) problems.add(`${rawName} needs a value`);
    else if (inlineValue === false && value.length > 1 && value.startsWith("-"))
      return [...problems, dashedValue(rawName)];
  }
  const argument = tokens.find(({ kind }) => kind === "positional");
  // It may be the value of an unknown option.
  if (problems.size === 0 && !allowPositionals && argument?.kind === "positional")
    problems.add(`it takes no argument such as "${argument.value}"`);
  return [...problems];
}

function noSuchOption(rawName: string, name: string, names: readonly string[]): string {
  const near = rawName.startsWith("--") ? nearestName(name, names) : undefined;
  return `there is no option ${rawName}${near === undefined ? "" : `; did you mean --${near}?`}`;
}

/** The value may be missing, and this may be the next option. */
function dashedValue(rawName: string): string {
  const how = rawName.startsWith("--") ? `; write a value that begins with a dash as ${rawName}=-…` : "";
  return `${rawName} needs a value${how}`;
}
