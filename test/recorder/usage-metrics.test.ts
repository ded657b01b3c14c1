import { expect, test } from "bun:test";
import type { RequestRow } from "../../src/record/written-row.ts";
import { UsageMetrics } from "../../src/recorder/usage-metrics.ts";

const row = (columns: Partial<RequestRow>) => columns as RequestRow;

test("tokens, costs and unpriced records are summed by provider; responses from the cache are left out", () => {
  const metrics = new UsageMetrics();
  const used = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 };
  metrics.add("OPENAI", row({ ...used, prompt_cache_read_tokens: 2, reasoning_tokens: 1, cost: 0.25 }));
  metrics.add("OPENAI", row({ ...used, prompt_cache_write_tokens: 4, cost: 0.5 }));
  metrics.add("OPENAI", row({ ...used, cost: 9, cached: 1 }));
  // A free model has a price; a record without tokens needs none.
  metrics.add("OLLAMA", row({ ...used, cost: 0 }));
  metrics.add("OLLAMA", row({ ...used, cost: null }));
  metrics.add("OLLAMA", row({ cost: null }));
  const values = metrics
    .text()
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  expect(values).toEqual([
    'weir_tokens_total{provider="OPENAI",kind="input"} 10',
    'weir_tokens_total{provider="OPENAI",kind="output"} 6',
    'weir_tokens_total{provider="OPENAI",kind="cache_read"} 2',
    'weir_tokens_total{provider="OPENAI",kind="cache_write"} 4',
    'weir_tokens_total{provider="OPENAI",kind="reasoning"} 1',
    'weir_tokens_total{provider="OLLAMA",kind="input"} 10',
    'weir_tokens_total{provider="OLLAMA",kind="output"} 6',
    'weir_tokens_total{provider="OLLAMA",kind="cache_read"} 0',
    'weir_tokens_total{provider="OLLAMA",kind="cache_write"} 0',
    'weir_tokens_total{provider="OLLAMA",kind="reasoning"} 0',
    'weir_cost_usd_total{provider="OPENAI"} 0.75',
    'weir_cost_usd_total{provider="OLLAMA"} 0',
    'weir_unpriced_records_total{provider="OPENAI"} 0',
    'weir_unpriced_records_total{provider="OLLAMA"} 1',
  ]);
});
