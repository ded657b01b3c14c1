import type { Static, TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { readAll as readEach, throwAll } from "../api-client/read-all.ts";
import { wantedInWords } from "../checked.ts";
import { GatewayError } from "../errors.ts";
import type { Invocation } from "./command.ts";
import { UsageError } from "./usage-error.ts";

/** The options in the form of the API. @throws UsageError that names an invalid member, or an AggregateError of several. */
export function checkedBody<T extends TSchema>(schema: T, body: Readonly<Record<string, unknown>>): Static<T> {
  const firstAt = new Map<string, UsageError>();
  for (const error of Value.Errors(schema, body)) {
    const path = error.path.slice(1).replaceAll("/", ".");
    if (!firstAt.has(path)) firstAt.set(path, new UsageError(`${path}: ${wantedInWords(error)}`));
  }
  throwAll([...firstAt.values()]);
  return body;
}

export function asNumber(options: Invocation["options"], name: string): number | undefined {
  const text = options[name]?.toString().trim();
  if (text === undefined) return undefined;
  if (text === "" || !Number.isFinite(Number(text))) throw new UsageError(`--${name} takes a number, not ${text}`);
  return Number(text);
}

/** Maximum rows of a list. */
export function asLimit(options: Invocation["options"]): number {
  const text = options["limit"]?.toString() ?? "100";
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--limit takes a number of rows, not ${text}`);
  return Number(text);
}

/**
 * Reads every member, so that all errors are reported at once.
 *
 * @throws the one UsageError, or an AggregateError of several.
 */
export function readAll<T extends Readonly<Record<string, unknown>>>(
  readers: {
    readonly [Name in keyof T]: () => T[Name];
  },
): T {
  const asked = Object.entries<() => unknown>(readers).map(([name, reader]) => [name, () => asUsage(reader)]);
  return readEach<T>(Object.fromEntries(asked), (error) => error instanceof UsageError);
}

/** Input that the API would refuse with a 400 is a usage error. */
export function asUsage<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof GatewayError) throw new UsageError(error.message);
    throw error;
  }
}
