import type { Exchange, Property } from "./world.ts";
import { ORGANIZATION } from "./world.ts";

/**
 * The filter grammar read out loud: what a filter means for one record of a list of records, in the plainest words, and
 * sharing no code with the compiler.
 */
export function reads(filter: unknown, exchange: Exchange, all: readonly Exchange[]): boolean {
  if (filter === "all") return true;
  const node = filter as Record<string, never>;
  if ("operator" in node) {
    const left = reads(node["left"], exchange, all);
    const right = reads(node["right"], exchange, all);
    return node["operator"] === "and" ? left && right : left || right;
  }
  return every(node, (group, fields) => {
    if (group === "properties") return every(fields, (name, test) => property(exchange.properties, name, test));
    if (group === "values") return every(fields, (name, test) => property(exchange.inputs, name, test));
    return every(fields, (field, test) => readsField(`${group}.${field}`, test, exchange, all));
  });
}

type Test = Record<string, unknown>;

function every(object: object, holds: (name: string, value: Test) => boolean): boolean {
  return Object.entries(object).every(([name, value]) => holds(name, value));
}

function readsField(field: string, test: Test, exchange: Exchange, all: readonly Exchange[]): boolean {
  const { properties, inputs: _inputs, scores = {}, assets = [] } = exchange;
  switch (field) {
    case "request_response_rmt.properties":
      return every(test, (name, inner) => property(properties, name, inner));
    case "request_response_rmt.search_properties":
      return every(test, (name, inner) =>
        anyOf(properties?.filter((one) => sameLetters(one.name, name)).map(({ value }) => value) ?? [], inner),
      );
    case "request_response_rmt.property_key":
      return Object.values(test).every((name) =>
        name === null ? (properties ?? []).length === 0 : named(properties, String(name)).length > 0,
      );
    case "request_response_rmt.scores":
      return every(test, (name, inner) => one(Object.hasOwn(scores, name) ? scores[name]! : null, inner));
    case "request_response_rmt.assets":
      return anyOf(assets, test);
    default:
      return one(fieldOf(field, exchange, all), test);
  }
}

/** A property with that name, or its lower-case form where case was lost. */
function named(properties: readonly Property[] | undefined, name: string): Property[] {
  const train = (lower: string) =>
    lower
      .split("-")
      .map((word) => (/^[a-z]/.test(word) ? word[0]!.toUpperCase() + word.slice(1) : word))
      .join("-");
  return (properties ?? []).filter(
    (one) =>
      one.name === name || (one.erased === true && one.name === one.name.toLowerCase() && train(one.name) === name),
  );
}

function property(properties: readonly Property[] | undefined, name: string, test: Test): boolean {
  return anyOf(
    named(properties, name).map(({ value }) => value),
    test,
  );
}

/** Of several values (or none) one must fit; for the two negative operators none may fit their opposite. */
function anyOf(values: readonly string[], test: Test): boolean {
  return Object.entries(test).every(([operator, wanted]) => {
    if (wanted === null) return operator === "equals" ? values.length === 0 : values.length > 0;
    if (operator === "not-equals") return !values.some((value) => value === wanted);
    if (operator === "not-contains") return !values.some((value) => one(value, { contains: wanted }));
    return values.some((value) => one(value, { [operator]: wanted }));
  });
}

function one(value: string | number | boolean | null, test: Test): boolean {
  return Object.entries(test).every(([operator, wanted]) => {
    const text = value as string;
    const limit = typeof wanted === "string" && typeof value === "number" ? timeOf(wanted) : (wanted as number);
    switch (operator) {
      case "equals":
        return value === limit;
      case "not-equals":
        return value !== limit;
      case "gte":
        return value !== null && (value as number) >= limit;
      case "lte":
        return value !== null && (value as number) <= limit;
      case "gt":
        return value !== null && (value as number) > limit;
      case "lt":
        return value !== null && (value as number) < limit;
      case "like":
        return value !== null && wildcard(String(wanted), "su").test(text);
      case "ilike":
        return value !== null && wildcard(String(wanted), "siu").test(text);
      case "contains":
        return value !== null && new RegExp(escaped(String(wanted)), "iu").test(text);
      case "not-contains":
        return value === null || !new RegExp(escaped(String(wanted)), "iu").test(text);
      default:
        throw new Error(`the reading does not know "${operator}"`);
    }
  });
}

function sameLetters(left: string, right: string): boolean {
  return new RegExp(`^${escaped(right)}$`, "iu").test(left);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

function wildcard(pattern: string, flags: string): RegExp {
  const parts = [...pattern].map((letter) => (letter === "%" ? ".*" : letter === "_" ? "." : escaped(letter)));
  return new RegExp(`^${parts.join("")}$`, flags);
}

/** All times in these tests are in a form that the platform reads itself. */
function timeOf(text: string): number {
  return Date.parse(text);
}

const COLUMNS: Readonly<Record<string, string>> = {
  "request_response_rmt.latency": "delay_ms",
  "request_response_rmt.status": "response_status",
  "request_response_rmt.gateway-score-feedback": "feedback_rating",
  "request.auth_hash": "auth_hash",
  "request.org_id": "organization_id",
  "request.id": "request_id",
  "request.model": "request_model",
  "request.modelOverride": "model_override",
  "request.path": "request_path",
  "request.created_at": "request_created_at",
  "response.body_model": "response_model",
  "response.model": "response_model",
  "response.body_tokens": "total_tokens",
  "response.status": "response_status",
  "feedback.id": "feedback_id",
  "feedback.created_at": "feedback_created_at",
  "feedback.rating": "feedback_rating",
  "sessions_request_response_rmt.session_session_id": "session_id",
  "sessions_request_response_rmt.session_session_name": "session_name",
};

const BOOLEANS = new Set(["threat", "cache_enabled", "cached", "feedback_rating", "is_passthrough_billing"]);
const ZERO_BY_DEFAULT = new Set(["cache_enabled", "cached", "is_passthrough_billing"]);

function fieldOf(field: string, exchange: Exchange, all: readonly Exchange[]): string | number | boolean | null {
  const [, name] = field.split(".") as [string, string];
  if (field === "request.prompt") return exchange.prompt ?? null;
  if (field === "response.body_completion") return exchange.completion ?? null;
  if (field === "request_response_rmt.request_body") return exchange.requestBody ?? null;
  if (field === "request_response_rmt.response_body") return exchange.responseBody ?? null;
  if (field === "request_response_rmt.scores_column") return JSON.stringify(exchange.scores ?? {});
  if (name === "comments") return 0; // there are none
  if (name === "session_tag") return exchange.columns.session_id === "s-1" ? "Nightly" : null;
  if (/^session_(?!session_)/.test(name)) return sessionTotal(name, exchange, all);
  const column = COLUMNS[field] ?? name;
  if (column === "organization_id") return ORGANIZATION;
  if (column === "unread") return (exchange.columns.unread ?? null) !== null;
  if (column === "provider") return exchange.columns.provider ?? "OPENAI";
  const value = (exchange.columns as Record<string, string | number | null>)[column] ?? null;
  if (!BOOLEANS.has(column)) return value;
  return value === null ? (ZERO_BY_DEFAULT.has(column) ? false : null) : value !== 0;
}

/** Dollars are shown with 12 digits. */
const asShown = (amount: number | null) => (amount === null ? null : Number(amount.toPrecision(12)));

function sessionTotal(name: string, { columns }: Exchange, all: readonly Exchange[]): number | null {
  if (columns.session_id === undefined) return null;
  const session = all.map((other) => other.columns).filter(({ session_id }) => session_id === columns.session_id);
  const sum = (values: (number | null | undefined)[]) => {
    const known = values.filter((value) => typeof value === "number");
    return known.length === 0 ? null : known.reduce((total, value) => total + value, 0);
  };
  const times = session.map(({ request_created_at }) => request_created_at);
  switch (name) {
    case "session_total_cost":
      return asShown(sum(session.map(({ cost }) => cost)));
    case "session_total_tokens":
      return sum(session.map(({ total_tokens }) => total_tokens));
    case "session_prompt_tokens":
      return sum(session.map(({ prompt_tokens }) => prompt_tokens));
    case "session_completion_tokens":
      return sum(session.map(({ completion_tokens }) => completion_tokens));
    case "session_total_requests":
      return session.length;
    case "session_created_at":
      return Math.min(...times);
    case "session_latest_request_created_at":
      return Math.max(...times);
    default:
      throw new Error(`the reading does not know "${name}"`);
  }
}
