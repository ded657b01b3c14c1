/** US dollars per million tokens, and per request. */
const RATES = {
  input: "Input",
  output: "Output",
  cache_read: "Cache read",
  cache_write: "Cache write",
  cache_write_1h: "Write, 1 h",
  input_audio: "Audio in",
  output_audio: "Audio out",
  request: "Each request",
} as const;
type Rate = keyof typeof RATES;

export interface Price extends Readonly<Partial<Record<Rate, number>>> {
  readonly provider: string;
  readonly model: string;
}

export interface OwnPrice extends Price {
  readonly source: "own" | "configuration";
}

export interface PriceInForce extends Price {
  /** Null if no price is known. */
  readonly source: string | null;
}

/** Prefix of the keys of all price queries. */
export const PRICES = ["prices"] as const;

export const RATE_LIST = Object.entries(RATES) as readonly (readonly [Rate, string])[];
