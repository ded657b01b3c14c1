import { type ParseArgsConfig, parseArgs } from "node:util";
import { nearestName } from "../nearest.ts";
import { usageFailure } from "./failure.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;

/**
 * Reads options and arguments of a command line.
 *
 * @throws ExportFailure of kind `usage`, with one line.
 */
export function readWords<const T extends Options, const P extends boolean>(
  words: readonly string[],
  options: T,
  allowPositionals: P,
) {
  try {
    return parseArgs({ args: [...words], options, strict: true, allowPositionals });
  } catch (error) {
    if (error instanceof TypeError) throw usageFailure(whyUnread(error.message, Object.keys(options)));
    throw error;
  }
}

/** The error in one line, from the message of `parseArgs`. */
export function whyUnread(message: string, names: readonly string[]): string {
  const [, dashes, unknown] = /Unknown option '(-*)([^']*)'/.exec(message) ?? [];
  if (unknown !== undefined) {
    const near = dashes === "--" ? nearestName(unknown, names) : undefined;
    return `there is no option ${dashes}${unknown}${near === undefined ? "" : `; did you mean --${near}?`}`;
  }
  const [, option, why] = /Option '(?:-\w, )?(-+[^' ]+)[^']*' argument (missing|is ambiguous)/.exec(message) ?? [];
  if (option !== undefined) {
    const dashed = why !== "missing" && option.startsWith("--");
    return `${option} needs a value${dashed ? `; write a value that begins with a dash as ${option}=-…` : ""}`;
  }
  return message.split("\n")[0]!.split(". ")[0]!;
}
