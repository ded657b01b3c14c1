import { type MatchLogic, type ModelPrice, type Provider, TieredPrices } from "@pydantic/genai-prices";

/** The day of the last review. */
export const CORRECTIONS_DATE = "2026-11-21";

/** A price that is missing or wrong in the table; US dollars per million tokens or per thousand searches. */
interface Correction {
  readonly id: string;
  /** Which models; if missing, the model with exactly this name. */
  readonly match?: MatchLogic;
  /** First day of validity, ISO 8601. Before it, the next entry with the same name applies, otherwise the table. */
  readonly since?: string;
  readonly prices: ModelPrice;
}

const above = (start: number, base: number, price: number) => new TieredPrices({ base, tiers: [{ start, price }] });

/** The models behind names without a version, newest first. The names ended on 2026-07-24; V4 Flash was the last model. */
const DEEPSEEK: readonly Omit<Correction, "id">[] = [
  { since: "2026-04-24", prices: { input_mtok: 0.14, cache_read_mtok: 0.0028, output_mtok: 0.28 } },
  { since: "2025-09-29", prices: { input_mtok: 0.28, cache_read_mtok: 0.028, output_mtok: 0.42 } },
];

/** By Weir's provider names. Review them when the table's version changes. */
const CORRECTIONS: Readonly<Record<string, readonly Correction[]>> = {
  ANTHROPIC: [
    {
      id: "claude-sonnet-4",
      match: { regex: "^claude-sonnet-4-(?:0|20250514)$" },
      prices: {
        input_mtok: above(200_000, 3, 6),
        cache_read_mtok: above(200_000, 0.3, 0.6),
        cache_write_mtok: above(200_000, 3.75, 7.5),
        cache_write_1h_mtok: above(200_000, 6, 12),
        output_mtok: above(200_000, 15, 22.5),
        web_searches_kcount: 10,
      },
    },
  ],
  AWS: [
    {
      id: "amazon.titan-embed-text-v2",
      match: { contains: "amazon.titan-embed-text-v2" },
      prices: { input_mtok: 0.02 },
    },
  ],
  AZURE: [
    {
      id: "deepseek-r1",
      match: { regex: "^[Dd]eep[Ss]eek-[Rr]1(?:-0528)?$" },
      prices: { input_mtok: 1.35, output_mtok: 5.4 },
    },
    { id: "gpt-oss-120b", match: { starts_with: "gpt-oss-120b" }, prices: { input_mtok: 0.15, output_mtok: 0.6 } },
    { id: "phi-4", match: { regex: "^[Pp]hi-4$" }, prices: { input_mtok: 0.125, output_mtok: 0.5 } },
  ],
  CEREBRAS: [{ id: "qwen-3-coder-480b", prices: { input_mtok: 2, output_mtok: 2 } }],
  COHERE: [
    {
      id: "rerank-3",
      match: { regex: "^rerank-(?:v3\\.5|(?:english|multilingual)-v3\\.0)$" },
      prices: { rerank_searches_kcount: 2 },
    },
  ],
  DEEPSEEK: ["deepseek-chat", "deepseek-reasoner"].flatMap((id) => DEEPSEEK.map((each) => ({ id, ...each }))),
  GOOGLE: [
    // Experimental models are free.
    {
      id: "gemini-2.0-flash-exp",
      match: { regex: "^gemini-2\\.0-flash-(?:thinking-)?exp" },
      prices: { input_mtok: 0, output_mtok: 0 },
    },
    {
      id: "gemini-1.0-pro",
      match: { regex: "^gemini-(?:1\\.0-pro.*|pro)$" },
      prices: { input_mtok: 0.5, output_mtok: 1.5 },
    },
    {
      id: "gemini-1.5-flash-8b",
      match: { contains: "gemini-1.5-flash-8b" },
      prices: {
        input_mtok: above(128_000, 0.0375, 0.075),
        cache_read_mtok: above(128_000, 0.01, 0.02),
        output_mtok: above(128_000, 0.15, 0.3),
      },
    },
  ],
  MISTRAL: [{ id: "mistral-large-latest", since: "2025-12-02", prices: { input_mtok: 0.5, output_mtok: 1.5 } }],
  OPENAI: [
    {
      id: "gpt-4o-audio-preview-2024-10-01",
      prices: { input_mtok: 2.5, output_mtok: 10, input_audio_mtok: 100, output_audio_mtok: 200 },
    },
    {
      id: "gpt-4o-audio-preview",
      match: { starts_with: "gpt-4o-audio-preview" },
      prices: { input_mtok: 2.5, output_mtok: 10, input_audio_mtok: 40, output_audio_mtok: 80 },
    },
    {
      id: "gpt-4o-mini-audio-preview",
      match: { starts_with: "gpt-4o-mini-audio-preview" },
      prices: { input_mtok: 0.15, output_mtok: 0.6, input_audio_mtok: 10, output_audio_mtok: 20 },
    },
  ],
  VOYAGE: [
    { id: "rerank-2-lite", match: { regex: "^rerank-2(?:\\.5)?-lite$" }, prices: { input_mtok: 0.02 } },
    { id: "rerank-2", match: { regex: "^rerank-2(?:\\.5)?$" }, prices: { input_mtok: 0.05 } },
  ],
};

/** The corrections in force at that time, in the table's own form; `undefined` if the table applies. */
export function correctionsOf(provider: string, at: Date): Provider | undefined {
  const own = Object.hasOwn(CORRECTIONS, provider) ? CORRECTIONS[provider]! : [];
  const models = own.filter(({ since }) => since === undefined || at >= new Date(since));
  if (models.length === 0) return undefined;
  return {
    id: provider.toLowerCase(),
    name: provider,
    api_pattern: "",
    models: models.map(({ id, match = { equals: id }, prices }) => ({ id, match, prices })),
  };
}
