import { type ValueError, ValueErrorType } from "@sinclair/typebox/errors";
import { wantedInWords } from "../../checked.ts";
import { GatewayError } from "../../errors.ts";
import { hint, quote } from "../../filter/spelling.ts";

interface SchemaError {
  readonly type: ValueErrorType;
  readonly path: string;
  readonly message: string;
  readonly value: unknown;
  readonly schema: {
    readonly expects?: string;
    readonly properties?: Readonly<Record<string, unknown>>;
    readonly const?: unknown;
  };
  /** For a union: the errors of each variant. */
  readonly errors: readonly Iterable<SchemaError>[];
}

/** The error for a body that does not fit its schema: names the first wrong member, such as `scores.helpful`, and what it should be. */
export function validationFailure(error: unknown): GatewayError {
  const { validator, value } = error as {
    validator?: { Errors(value: unknown): { First(): SchemaError | undefined } };
    value?: unknown;
  };
  const found = validator?.Errors(value).First();
  if (found === undefined) return new GatewayError("invalid_body");
  const first = innermost(found);
  if (first.path === "") return new GatewayError("invalid_body", wantedInWords(first as ValueError));
  const names = first.path.slice(1).split("/").map(unescapePointer);
  const path = names.join(".");
  return new GatewayError("invalid_body", `${path}: ${wantedOf(first, names.at(-1)!)}`, { path });
}

/**
 * For a union whose variants are tagged by a member: the error of that member, or of the variant. For a nullable type
 * without its own description: the error of the non-null variant.
 */
function innermost(error: SchemaError): SchemaError {
  if (error.type !== ValueErrorType.Union) return error;
  const variants = error.errors.map((each) => [...each]);
  const names = variants.map((all) => all.find(({ type, path }) => type === LITERAL && path !== error.path));
  const called = names.filter((name) => name !== undefined);
  if (called.length === 0) {
    const [only, ...others] = variants.filter(([first]) => first?.type !== ValueErrorType.Null);
    const isPlain = error.schema.expects === undefined && others.length === 0;
    return isPlain && only?.[0] !== undefined ? innermost(only[0]) : error;
  }
  const meant = variants.find((_, at) => names[at] === undefined)?.[0];
  if (meant !== undefined) return innermost(meant);
  const [name] = called;
  const known = called.map(({ schema }) => String(schema.const));
  if (name === undefined || typeof name.value !== "string") return name ?? error;
  return { ...name, schema: { expects: `there is no ${quote(name.value)} here; ${hint(name.value, known)}` } };
}
const LITERAL = ValueErrorType.Literal;

function wantedOf(error: SchemaError, name: string): string {
  const { type, schema } = error;
  const isUnknown = type === ValueErrorType.ObjectAdditionalProperties && schema.properties !== undefined;
  if (isUnknown) return `there is no ${quote(name)} here; ${hint(name, Object.keys(schema.properties))}`;
  return wantedInWords(error as ValueError);
}

/** JSON pointers write `~` and `/` in member names as `~0` and `~1`. */
function unescapePointer(name: string): string {
  return name.replaceAll("~1", "/").replaceAll("~0", "~");
}
