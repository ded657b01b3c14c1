import { type Exchange, idOf, ORGANIZATION, type Property } from "./world.ts";

/** Texts that are alike in every way in which comparing goes wrong: case, wildcards, quotes, scripts, emptiness. */
export const TEXTS = [
  "",
  "gpt-4o",
  "GPT-4o",
  "gpt-4o-mini",
  "gpt_4o",
  "100%",
  "100",
  "a%b_c",
  "a*b?c",
  "[x]",
  "]",
  "[",
  "é",
  "É",
  "café",
  "CAFÉ",
  "ΟΔΟΣ",
  "οδος",
  "straße",
  "STRASSE",
  "ıI",
  "iİ",
  "Жук",
  "жук",
  "🙂",
  "a🙂b",
  "back\\slash",
  `x' or 1=1 --`,
  `"; drop table requests; --`,
  "line\nbreak",
  "Kelvin",
  "kelvin",
  "null",
];

export const NUMBERS = [
  0, -1, 1, 0.1, 0.30000000000000004, 1e-9, 200, 404, -273.15, 9007199254740991, 1e21, -1e308, 1.5,
];
const WHOLE = [0, 1, 2, 10, 128_000, 9007199254740991];
export const START = Date.UTC(2026, 0, 31, 9, 30, 0, 0);
export const NAMES = [
  "Environment",
  "environment",
  "App-Name",
  "app-name",
  "appName",
  "Größe",
  "x.y",
  'q"uote',
  "__proto__",
];

const pick = <T>(list: readonly T[], number: number, everyNth: number): T | undefined =>
  number % everyNth === 0 ? undefined : list[(number * 7 + everyNth) % list.length];

/** A small world in which every value of the lists above stands somewhere, and every field is missing somewhere. */
export const EXCHANGES: readonly Exchange[] = Array.from({ length: 120 }, (_, n) => exchange(n));

function exchange(n: number): Exchange {
  const text = (nth: number) => pick(TEXTS, n, nth) ?? null;
  const number = (nth: number) => pick(NUMBERS, n, nth) ?? null;
  const whole = (nth: number) => pick(WHOLE, n, nth) ?? null;
  const flag = (nth: number) => (n % nth === 0 ? null : n % 2);
  const body = pick(TEXTS, n, 4);
  const output = pick(TEXTS, n, 5);
  const optional = {
    ...(pick(TEXTS, n, 6) === undefined ? {} : { prompt: pick(TEXTS, n, 6)! }),
    ...(pick(TEXTS, n, 9) === undefined ? {} : { completion: pick(TEXTS, n, 9)! }),
    ...(body === undefined ? {} : { requestBody: body }),
    ...(output === undefined ? {} : { responseBody: output }),
  };
  return {
    columns: {
      request_id: idOf(n),
      request_created_at: START + [0, 1, 999, 1000, 60_000, 3_600_000, 86_400_000][n % 7]! * (n % 5),
      response_created_at: n % 6 === 0 ? null : START + n,
      provider: ["OPENAI", "ANTHROPIC", "CUSTOM"][n % 3]!,
      country_code: text(3),
      model: text(7),
      user_id: text(5),
      node_id: text(11),
      job_id: text(13),
      target_url: text(8),
      cache_reference_id: text(2),
      attempt_of: text(2),
      prompt_id: text(4),
      prompt_version: text(9),
      request_referrer: text(10),
      auth_hash: text(14),
      request_model: text(6),
      model_override: text(3),
      request_path: text(15),
      response_model: text(12),
      response_id: text(16),
      input: text(17),
      output: text(7),
      delay_ms: number(4),
      // Quarters, where sessions are added up: their sums are exact in any order.
      cost: n % 3 === 0 ? number(4) : n % 8 === 0 ? null : n * 0.25,
      time_to_first_token: number(2),
      response_status: whole(9),
      prompt_tokens: whole(5),
      completion_tokens: whole(6),
      prompt_cache_read_tokens: whole(7),
      prompt_cache_write_tokens: whole(8),
      total_tokens: whole(4),
      threat: flag(3),
      cache_enabled: n % 2,
      cached: n % 3 === 0 ? 1 : 0,
      feedback_id: n % 4 === 0 ? n : null,
      feedback_rating: n % 4 === 0 ? (n / 4) % 2 : null,
      feedback_created_at: n % 4 === 0 ? START + n * 1000 : null,
      is_passthrough_billing: n % 10 === 0 ? 1 : 0,
      experiment_id: n % 9 === 0 ? "exp" : null,
      ...(n % 3 === 0 ? {} : { session_id: `s-${n % 5}`, session_name: ["Alpha", "alpha", "100%"][n % 3]! }),
      size_bytes: 100,
      unread: n % 7 === 0 ? "timeout: reading it took too much CPU time" : null,
    },
    properties: named(n, 2),
    inputs: named(n + 3, 3),
    scores: n % 4 === 0 ? {} : { quality: NUMBERS[n % NUMBERS.length]!, 'q"uote': 1, "Größe.x": n },
    assets: n % 3 === 0 ? [] : [TEXTS[n % TEXTS.length]!, "asset-1"],
    ...optional,
  };
}

function named(n: number, nth: number): Property[] {
  const properties = new Map<string, Property>();
  for (let i = 0; i < n % (nth + 2); i++) {
    const name = NAMES[(n + i * 2) % NAMES.length]!;
    const erased = name === name.toLowerCase() && (n + i) % 3 !== 0;
    properties.set(name, { name, value: TEXTS[(n * 3 + i) % TEXTS.length]!, erased });
  }
  return [...properties.values()];
}

export { ORGANIZATION };
