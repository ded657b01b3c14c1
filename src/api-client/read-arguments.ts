import { type ParseArgsConfig, parseArgs } from "node:util";
import { nearestName } from "../nearest.ts";
import { usageFailure } from "./failure.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;

/**
 * Reads options and arguments of a command line.
 *
 * @throws ExportFailure of kind `usage`, with one line.
 */
export function readArguments<const T extends Options, const P extends boolean>(
  words: readonly string[],
  options: T,
  allowPositionals: P,
) {
  const problem = problemOf(words, options, allowPositionals);
  if (problem !== undefined) throw usageFailure(problem);
  return parseArgs({ args: [...words], options, strict: true, allowPositionals });
}

/** The first error of a command line, in one sentence; undefined if it is valid. */
export function problemOf(words: readonly string[], options: Options, allowPositionals: boolean): string | undefined {
  const { tokens } = parseArgs({ args: [...words], options, strict: false, allowPositionals: true, tokens: true });
  for (const token of tokens) {
    if (token.kind === "positional" && !allowPositionals) return `it takes no argument such as "${token.value}"`;
    if (token.kind !== "option") continue;
    const { name, rawName, value, inlineValue } = token;
    if (!Object.hasOwn(options, name)) return noSuchOption(rawName, name, Object.keys(options));
    if (options[name]!.type === "boolean") {
      if (value !== undefined) return `${rawName} takes no value`;
    } else if (value === undefined) return `${rawName} needs a value`;
    else if (inlineValue === false && value.length > 1 && value.startsWith("-")) return dashedValue(rawName);
  }
  return undefined;
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
