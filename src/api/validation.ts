import { GatewayError } from "../errors.ts";

interface SchemaError {
  readonly path: string;
  readonly message: string;
  readonly schema: { readonly expects?: string };
}

/** A body that does not fit its schema: names the first wrong member, as `scores.helpful`, and what it should be. */
export function validationFailure(error: unknown): GatewayError {
  const { validator, value } = error as {
    validator?: { Errors(value: unknown): { First(): SchemaError | undefined } };
    value?: unknown;
  };
  const first = validator?.Errors(value).First();
  if (first === undefined) return new GatewayError("invalid_body");
  const path = first.path.slice(1).split("/").map(unescapePointer).join(".");
  const what = first.schema.expects ?? first.message;
  return new GatewayError("invalid_body", path === "" ? what : `${path}: ${what}`, path === "" ? {} : { path });
}

/** Member names in a JSON pointer write `~` and `/` as `~0` and `~1`. */
function unescapePointer(name: string): string {
  return name.replaceAll("~1", "/").replaceAll("~0", "~");
}
