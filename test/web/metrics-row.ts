import type { MetricsRow } from "../../src/web/metrics/series.ts";

/** A row of metrics; by default only one request is known. */
export const metricsRow = (time: number, more: Partial<MetricsRow>): MetricsRow => ({
  time: new Date(time).toISOString(),
  requests: 1,
  errors: 0,
  refused: 0,
  error_rate: 0,
  cache_hits: 0,
  cost: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  total_tokens: 0,
  latency_avg: null,
  latency_p50: null,
  latency_p90: null,
  latency_p95: null,
  latency_p99: null,
  ...more,
});
