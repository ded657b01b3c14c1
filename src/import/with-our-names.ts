import { readMembers } from "../json-text/members.ts";
import { RECORD_MEMBERS } from "../record/imported.ts";

/** A record with Weir's member names, and the names of dropped members. */
interface Translated {
  readonly text: string;
  readonly unknown: readonly string[];
}

type Members = Record<string, unknown>;

/** Headers that other products store as properties, without their brand, and the corresponding members. */
const SETTINGS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "session-id": "session_id",
    "session-name": "session_name",
    "session-path": "session_path",
    "user-id": "request_user_id",
    "prompt-id": "prompt_id",
    "prompt-version": "prompt_version",
    "node-id": "node_id",
    "job-id": "job_id",
    "experiment-id": "experiment_id",
  }),
);
const NUMBERS = /^(?:cost|costUSD|delay_ms|time_to_first_token|size_bytes|response_status|\w+_tokens)$/;
const FLAGS =
  /^(?:streamed|truncated|usage_estimated|cache_enabled|cached|threat|is_passthrough_billing|feedback_rating)$/;

/**
 * Converts a record of another product to one of Weir's: the members are the same, but their names contain the product's name
 * instead of `gateway`.
 *
 * @param text - a JSON object that `JSON.parse` has accepted as `record`; bodies are passed on unchanged.
 * @param brand - in lower case.
 */
export function withOurNames(text: string, record: Readonly<Members>, brand: string): Translated {
  const unknown: string[] = [];
  const plain: Members = Object.create(null);
  for (const [given, value] of Object.entries(record)) {
    const name = neutralName(given, brand);
    if (!RECORD_MEMBERS.has(name)) unknown.push(given);
    else if (!BODIES.has(name)) plain[name] = readPlain(name, value);
  }
  const properties = neutralProperties(record["properties"] ?? record["request_properties"], brand, plain);
  const scores = isObject(plain["scores"]) ? neutralScores(plain["scores"], brand) : {};
  const prompt_inputs = isObject(plain["prompt_inputs"]) ? texts(plain["prompt_inputs"]) : {};
  Object.assign(plain, { properties, scores, prompt_inputs, provider: providerOf(plain["provider"]) });
  if (typeof plain["feedback_id"] !== "string" || !/^\d{1,15}$/.test(plain["feedback_id"])) plain["feedback_id"] = null;
  splitAddress(plain);
  plain["error_message"] ??= failureText(record["llmSchema"], brand);
  // A record without an end, which will never arrive now.
  if (plain["response_status"] === null || plain["response_status"] === undefined) {
    Object.assign(plain, { response_status: 500, outcome: "cut_off" });
  }
  const members = readMembers(text);
  let whole = JSON.stringify(plain).slice(0, -1);
  for (const name of ["request_body", "response_body"]) {
    const body = members.get(name);
    if (body !== undefined) whole += `,"${name}":${body}`;
  }
  return { text: `${whole}}`, unknown };
}

/** `llmSchema` is computed again from the bodies. */
const BODIES: ReadonlySet<string> = new Set(["request_body", "response_body", "llmSchema", "request_properties"]);

function neutralName(name: string, brand: string): string {
  return name.toLowerCase().startsWith(`${brand}_`) ? `gateway_${name.slice(brand.length + 1)}` : name;
}

/** Numbers and flags may come as text, or as 0 and 1. */
function readPlain(name: string, value: unknown): unknown {
  if (NUMBERS.test(name) && typeof value === "string") {
    const number = value.trim() === "" ? Number.NaN : Number(value);
    return Number.isFinite(number) ? number : value;
  }
  if (FLAGS.test(name) && (value === 0 || value === 1)) return value === 1;
  if (typeof value === "number" && /_id$/.test(name)) return String(value);
  return value;
}

/** A property's name without its header prefix; names that are members become members. */
function neutralProperties(value: unknown, brand: string, plain: Members): Members {
  const properties: Members = Object.create(null);
  if (!isObject(value)) return properties;
  for (const [name, text] of Object.entries(texts(value))) {
    const lower = name.toLowerCase();
    const setting = lower.startsWith(`${brand}-`) ? SETTINGS.get(lower.slice(brand.length + 1)) : undefined;
    const prefix = `${brand}-property-`;
    if (setting !== undefined) plain[setting] ??= text;
    else properties[lower.startsWith(prefix) ? name.slice(prefix.length) : name] = text;
  }
  return properties;
}

/** Every value as text, without null values. */
function texts(values: Members): Record<string, string> {
  const read: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(values)) {
    if (value !== null) read[name] = typeof value === "string" ? value : JSON.stringify(value);
  }
  return read;
}

function neutralScores(scores: Members, brand: string): Members {
  const neutral: Members = Object.create(null);
  for (const [name, value] of Object.entries(scores)) {
    const renamed = name.toLowerCase().startsWith(`${brand}-`) ? `gateway-${name.slice(brand.length + 1)}` : name;
    neutral[renamed] = typeof value === "boolean" ? Number(value) : value;
  }
  return neutral;
}

/** If the path is an absolute URL, it also gives the target. */
function splitAddress(plain: Members): void {
  const path = plain["request_path"];
  const url = typeof path === "string" && /^https?:/i.test(path) ? URL.parse(path) : null;
  if (url === null) return;
  plain["target_url"] ??= path;
  plain["request_path"] = url.pathname + url.search;
}

function providerOf(value: unknown): unknown {
  return typeof value === "string" ? value.toUpperCase() : value;
}

function failureText(llmSchema: unknown, brand: string): string | null {
  const error = member(member(llmSchema, "response"), "error");
  const message = member(error, `${brand}Message`);
  return typeof message === "string" ? message : null;
}

function member(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
