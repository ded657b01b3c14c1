import type { ModelPrice } from "@pydantic/genai-prices";
import type { CostLine } from "./own.ts";
import { priceOf } from "./remembered.ts";
import type { Units } from "./units.ts";

interface PriceKind {
  readonly what: string;
  readonly count: number;
  /** Names of prices, the most specific first: a kind without its own price uses the next one. */
  readonly prices: readonly string[];
  /** Factor for that price. */
  readonly factor?: number;
}

/**
 * One line per kind of token, at its own rate. Kinds without tokens have no line.
 *
 * @param hourFactor - the cost of a one-hour write as a multiple of a five-minute write, if the table has only the latter.
 */
export function tableLines(prices: ModelPrice, units: Units, hourFactor: number): CostLine[] {
  const whole = units.input_tokens ?? 0;
  return kindsOf(units, prices, hourFactor).flatMap(({ what, count, prices: names, factor = 1 }) => {
    const name = names.find((each) => prices[each] !== undefined);
    if (count <= 0 || name === undefined) return [];
    const dollars = priceOf(prices[name]!, count, whole) * factor;
    return [{ what, count, perMillion: (dollars / count) * 1e6, dollars }];
  });
}

function kindsOf(units: Units, prices: ModelPrice, hourFactor: number): readonly PriceKind[] {
  const { input_tokens: input = 0, output_tokens: output = 0, cache_read_tokens: read = 0 } = units;
  const { cache_write_tokens: write = 0, cache_write_1h_tokens: hour = 0 } = units;
  const { input_audio_tokens: audio = 0, cache_audio_read_tokens: readAudio = 0 } = units;
  const { input_image_tokens: image = 0, cache_image_read_tokens: readImage = 0 } = units;
  const { output_audio_tokens: spoken = 0, output_image_tokens: drawn = 0 } = units;
  const hourPrices = ["cache_write_1h_mtok", "cache_write_mtok", "input_mtok"];
  const isOwnHour = prices["cache_write_1h_mtok"] !== undefined;
  return [
    {
      what: "input tokens",
      count: input - read - write - (audio - readAudio) - (image - readImage),
      prices: ["input_mtok"],
    },
    { what: "cached input tokens", count: read - readAudio - readImage, prices: ["cache_read_mtok", "input_mtok"] },
    { what: "input tokens written to a cache", count: write - hour, prices: ["cache_write_mtok", "input_mtok"] },
    {
      what: "input tokens written to a cache for an hour",
      count: hour,
      prices: hourPrices,
      factor: isOwnHour ? 1 : hourFactor,
    },
    { what: "input audio tokens", count: audio - readAudio, prices: ["input_audio_mtok", "input_mtok"] },
    {
      what: "cached input audio tokens",
      count: readAudio,
      prices: ["cache_audio_read_mtok", "cache_read_mtok", "input_audio_mtok", "input_mtok"],
    },
    { what: "input image tokens", count: image - readImage, prices: ["input_image_mtok", "input_mtok"] },
    {
      what: "cached input image tokens",
      count: readImage,
      prices: ["cache_image_read_mtok", "cache_read_mtok", "input_image_mtok", "input_mtok"],
    },
    { what: "output tokens", count: output - spoken - drawn, prices: ["output_mtok"] },
    { what: "output audio tokens", count: spoken, prices: ["output_audio_mtok", "output_mtok"] },
    { what: "output image tokens", count: drawn, prices: ["output_image_mtok", "output_mtok"] },
  ];
}

/** Splits reasoning tokens into their own line, at the rate of output. */
export function withReasoning(lines: readonly CostLine[], reasoning: number | null): readonly CostLine[] {
  return lines.flatMap((line) => {
    if (line.what !== "output tokens" || !reasoning || reasoning > line.count) return [line];
    const part = (what: string, count: number) => ({
      ...line,
      what,
      count,
      dollars: (line.dollars * count) / line.count,
    });
    const said = line.count - reasoning;
    return [...(said === 0 ? [] : [part("output tokens", said)]), part("reasoning tokens", reasoning)];
  });
}
