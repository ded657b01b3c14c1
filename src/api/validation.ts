import { ValueErrorType } from "@sinclair/typebox/errors";
import { GatewayError } from "../errors.ts";
import { hint, quote } from "../filter/hint.ts";

interface SchemaError {
  readonly type: ValueErrorType;
  readonly path: string;
  readonly message: string;
  readonly schema: { readonly expects?: string; readonly properties?: Readonly<Record<string, unknown>> };
}

/** A body that does not fit its schema: names the first wrong member, as `scores.helpful`, and what it should be. */
export function validationFailure(error: unknown): GatewayError {
  const { validator, value } = error as {
    validator?: { Errors(value: unknown): { First(): SchemaError | undefined } };
    value?: unknown;
  };
  const first = validator?.Errors(value).First();
  if (first === undefined) return new GatewayError("invalid_body");
  if (first.path === "") return new GatewayError("invalid_body", first.schema.expects ?? first.message);
  const names = first.path.slice(1).split("/").map(unescapePointer);
  const path = names.join(".");
  return new GatewayError("invalid_body", `${path}: ${wantedOf(first, names.at(-1)!)}`, { path });
}

function wantedOf({ type, message, schema }: SchemaError, name: string): string {
  const isUnknown = type === ValueErrorType.ObjectAdditionalProperties && schema.properties !== undefined;
  if (isUnknown) return `there is no ${quote(name)} here; ${hint(name, Object.keys(schema.properties))}`;
  return schema.expects ?? message;
}

/** Member names in a JSON pointer write `~` and `/` as `~0` and `~1`. */
function unescapePointer(name: string): string {
  return name.replaceAll("~1", "/").replaceAll("~0", "~");
}
