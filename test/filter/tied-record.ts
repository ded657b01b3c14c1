import { type Exchange, idOf } from "./world.ts";

const START = Date.UTC(2026, 0, 10, 12);

/** Records with many ties and many missing values, so that their order depends on the later keys and on the id. */
export const tiedRecord = (n: number): Exchange => ({
  columns: {
    request_id: idOf(n),
    request_created_at: START + Math.floor(n / 4) * 1000,
    user_id: n % 3 === 0 ? null : `user-${n % 2}`,
    cost: n % 4 === 0 ? null : (n % 5) / 8,
    delay_ms: n % 7 === 0 ? null : -n * 1.5,
    total_tokens: n % 6,
    prompt_tokens: n % 5 === 0 ? null : n % 3,
    completion_tokens: null,
    response_model: n % 4 === 1 ? null : `m-${n % 3}`,
    cached: n % 2,
    cache_created_at: n % 2 === 0 ? null : START - n,
    time_to_first_token: n % 9 === 0 ? null : n % 4,
  },
  properties: n % 3 === 0 ? [] : [{ name: "Tier", value: `tier-${n % 4}` }],
  inputs: n % 5 === 0 ? [] : [{ name: "city", value: `city-${n % 2}` }],
  ...(n % 4 === 0 ? {} : { prompt: `Prompt ${n % 3}` }),
  ...(n % 6 === 0 ? {} : { completion: `answer ${n % 5}` }),
});
