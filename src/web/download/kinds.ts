/** What a column of a typed file holds; nested values are JSON text. */
export type Kind = "text" | "integer" | "number" | "boolean" | "time" | "json";

/** Members of records whose type a value may not tell: they are the same in every file, also where all are null. */
const RECORD: Readonly<Record<string, Kind>> = {
  ...named("time", "request_created_at response_created_at cache_created_at feedback_created_at updated_at"),
  ...named("integer", "response_status comments size_bytes attempt total_tokens prompt_tokens completion_tokens"),
  ...named("integer", "prompt_cache_write_tokens prompt_cache_read_tokens prompt_audio_tokens"),
  ...named("integer", "completion_audio_tokens reasoning_tokens stored_bytes"),
  ...named("number", "delay_ms time_to_first_token cost costUSD"),
  ...named("boolean", "usage_estimated streamed truncated cache_enabled cached threat is_passthrough_billing"),
  ...named("boolean", "feedback_rating"),
  ...named("json", "gateway_warnings scores assets asset_ids request_properties properties prompt_inputs"),
  ...named("json", "request_body response_body provider_request provider_response llmSchema"),
};

function named(kind: Kind, names: string): Readonly<Record<string, Kind>> {
  return Object.fromEntries(names.split(" ").map((name) => [name, kind]));
}

/** An ISO 8601 time as the API writes it. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** The kind of a column: a record's own, else what its values have in common. */
export function kindOf(name: string, values: Iterable<unknown>): Kind {
  if (Object.hasOwn(RECORD, name)) return RECORD[name]!;
  if (name.startsWith("property:")) return "text";
  if (name.startsWith("score:")) return "number";
  let common: Kind | undefined;
  for (const value of values) {
    const kind = kindOfValue(value);
    if (kind === undefined || kind === common) continue;
    common = common === undefined ? kind : joined(common, kind);
  }
  return common ?? "text";
}

function kindOfValue(value: unknown): Kind | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === "number") return Number.isSafeInteger(value) ? "integer" : "number";
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "string") return TIME.test(value) ? "time" : "text";
  return "json";
}

const NUMBERS: ReadonlySet<Kind> = new Set(["integer", "number"]);

const joined = (a: Kind, b: Kind): Kind => (NUMBERS.has(a) && NUMBERS.has(b) ? "number" : "text");

/** A value as a column of its kind holds it; null where it does not fit. */
export function typedValue(kind: Kind, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  switch (kind) {
    case "integer":
      return Number.isSafeInteger(value) ? BigInt(value as number) : null;
    case "number":
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "time": {
      const time = new Date(String(value));
      return Number.isNaN(time.getTime()) ? null : time;
    }
    default:
      return typeof value === "string" ? value : JSON.stringify(value);
  }
}
