import type { DashboardBody, PanelBody } from "./dashboard-body.ts";

/** A request that Weir itself refused does not count as an error. */
const ERRORS = {
  left: { request_response_rmt: { status: { gte: 400 } } },
  operator: "and",
  right: { request_response_rmt: { outcome: { "not-equals": "refused" } } },
};
const REFUSED = { request_response_rmt: { outcome: { equals: "refused" } } };

type Number = Pick<PanelBody, "title" | "thresholds" | "filter"> & { readonly metric: PanelBody["metrics"][number] };

/** A row of numbers across the top. */
const numbers = (...all: readonly Number[]): PanelBody[] =>
  all.map(({ metric, ...panel }, at) => ({
    ...panel,
    kind: "number",
    metrics: [metric],
    place: { x: at * 3, y: 0, w: 3, h: 2 },
  }));

/** At a row: the left half, the right half, or the full width. */
const left = (y: number, h = 4) => ({ x: 0, y, w: 6, h });
const right = (y: number, h = 4) => ({ x: 6, y, w: 6, h });
const across = (y: number, h = 4) => ({ x: 0, y, w: 12, h });

/** Dashboards that every organization has, by the id in their address. To change one, users copy it. */
export const SHIPPED: Readonly<Record<string, DashboardBody>> = {
  spend: {
    name: "Spend",
    description: "What requests cost, by model, user and key.",
    range: "30d",
    panels: [
      ...numbers(
        { title: "Cost", metric: "cost" },
        { title: "Requests", metric: "requests" },
        { title: "Tokens", metric: "total_tokens" },
        { title: "Cache hits", metric: "cache_hits" },
      ),
      { title: "Cost by model", kind: "bar", metrics: ["cost"], split_by: ["model"], place: across(2, 5) },
      { title: "Cost by user", kind: "bar", metrics: ["cost"], split_by: ["user"], place: left(7) },
      { title: "Cost by key", kind: "bar", metrics: ["cost"], split_by: ["key"], place: right(7) },
      {
        title: "Models",
        kind: "table",
        metrics: ["cost", "requests", "prompt_tokens", "completion_tokens"],
        split_by: ["provider", "model"],
        place: left(11, 5),
      },
      {
        title: "Users and models",
        kind: "heatmap",
        metrics: ["cost"],
        split_by: ["user", "model"],
        place: right(11, 5),
      },
    ],
  },
  latency: {
    name: "Latency and first token",
    description: "How long responses take, and how soon and how fast streams begin.",
    range: "24h",
    panels: [
      ...numbers(
        { title: "Latency, median", metric: "latency_p50" },
        {
          title: "Latency, p95",
          metric: "latency_p95",
          thresholds: [
            { comparison: "above", value: 30_000, colour: "warn" },
            { comparison: "above", value: 60_000, colour: "bad" },
          ],
        },
        { title: "First token, p95", metric: "time_to_first_token_p95" },
        { title: "Tokens per second, median", metric: "tokens_per_second_p50" },
      ),
      {
        title: "Latency",
        kind: "line",
        metrics: ["latency_p50", "latency_p90", "latency_p95", "latency_p99"],
        place: left(2),
      },
      {
        title: "Time to first token",
        kind: "line",
        metrics: ["time_to_first_token_p50", "time_to_first_token_p95"],
        place: right(2),
      },
      { title: "Latency by model, p95", kind: "line", metrics: ["latency_p95"], split_by: ["model"], place: left(6) },
      {
        title: "First token by model, p95",
        kind: "line",
        metrics: ["time_to_first_token_p95"],
        split_by: ["model"],
        place: right(6),
      },
      {
        title: "Latency over time by model, p95",
        kind: "heatmap",
        metrics: ["latency_p95"],
        split_by: ["model"],
        place: across(10, 5),
      },
    ],
  },
  errors: {
    name: "Errors and refusals",
    description: "What failed at providers, and what Weir refused.",
    range: "7d",
    panels: [
      ...numbers(
        {
          title: "Error rate",
          metric: "error_rate",
          thresholds: [
            { comparison: "above", value: 0.02, colour: "warn" },
            { comparison: "above", value: 0.05, colour: "bad" },
          ],
        },
        { title: "Errors", metric: "errors" },
        { title: "Refused", metric: "refused" },
        { title: "Requests", metric: "requests" },
      ),
      {
        title: "Error rate over time",
        kind: "line",
        metrics: ["error_rate"],
        thresholds: [{ comparison: "above", value: 0.05, colour: "bad" }],
        place: left(2),
      },
      {
        title: "Errors by status",
        kind: "bar",
        metrics: ["requests"],
        split_by: ["status"],
        filter: ERRORS,
        place: right(2),
      },
      { title: "Errors by model", kind: "bar", metrics: ["errors"], split_by: ["model"], place: left(6) },
      {
        title: "Refused, by reason",
        kind: "bar",
        metrics: ["requests"],
        split_by: ["error_code"],
        filter: REFUSED,
        place: right(6),
      },
      {
        title: "Providers and statuses",
        kind: "heatmap",
        metrics: ["requests"],
        split_by: ["provider", "status"],
        filter: ERRORS,
        place: left(10, 5),
      },
      {
        title: "Users with errors",
        kind: "table",
        metrics: ["errors", "error_rate", "refused", "requests"],
        split_by: ["user"],
        place: right(10, 5),
      },
    ],
  },
  models: {
    name: "Models side by side",
    description: "Cost, speed and failures of each model.",
    range: "7d",
    panels: [
      {
        title: "Models",
        kind: "table",
        metrics: [
          "requests",
          "cost",
          "latency_p50",
          "latency_p95",
          "time_to_first_token_p50",
          "tokens_per_second_p50",
          "error_rate",
        ],
        split_by: ["model"],
        groups: 20,
        place: across(0, 5),
      },
      { title: "Requests", kind: "bar", metrics: ["requests"], split_by: ["model"], place: left(5) },
      { title: "Cost", kind: "bar", metrics: ["cost"], split_by: ["model"], place: right(5) },
      { title: "Latency, median", kind: "line", metrics: ["latency_p50"], split_by: ["model"], place: left(9) },
      {
        title: "Tokens per second, median",
        kind: "line",
        metrics: ["tokens_per_second_p50"],
        split_by: ["model"],
        place: right(9),
      },
      {
        title: "Models and providers",
        kind: "heatmap",
        metrics: ["requests"],
        split_by: ["model", "provider"],
        place: left(13, 5),
      },
      { title: "Error rate", kind: "line", metrics: ["error_rate"], split_by: ["model"], place: right(13, 5) },
    ],
  },
  usage: {
    name: "Users and keys",
    description: "Who sends how much, and when.",
    range: "7d",
    panels: [
      ...numbers(
        { title: "Requests", metric: "requests" },
        { title: "Tokens", metric: "total_tokens" },
        { title: "Cost", metric: "cost" },
        { title: "Refused", metric: "refused" },
      ),
      {
        title: "Requests by user over time",
        kind: "heatmap",
        metrics: ["requests"],
        split_by: ["user"],
        place: across(2, 5),
      },
      {
        title: "Users",
        kind: "table",
        metrics: ["requests", "total_tokens", "cost", "error_rate"],
        split_by: ["user"],
        groups: 20,
        place: left(7, 6),
      },
      {
        title: "Keys",
        kind: "table",
        metrics: ["requests", "total_tokens", "cost", "refused"],
        split_by: ["key"],
        groups: 20,
        place: right(7, 6),
      },
      { title: "Requests by key", kind: "bar", metrics: ["requests"], split_by: ["key"], place: left(13) },
      { title: "Tokens by user", kind: "bar", metrics: ["total_tokens"], split_by: ["user"], place: right(13) },
    ],
  },
};
