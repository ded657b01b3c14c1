import type { GatewayPlugin } from "weir/plugin";
import { SpanQueue } from "./otlp/queue.ts";
import { spanOf } from "./otlp/span.ts";
import { traceOf } from "./otlp/trace.ts";

/**
 * Exports a span for each recorded model request, following OpenTelemetry's semantic conventions for generative AI, to a
 * collector that speaks OTLP over HTTP with JSON. Off without `endpoint`.
 *
 * Spans are created in the recorder's thread after the record is in the database, and wait in a bounded queue: a slow or
 * unreachable collector can lose spans, which are counted, but never a record. No text of a prompt or a response is
 * exported.
 */
export default {
  apiVersion: 1,
  name: "otlp",
  optionsSchema: {
    type: "object",
    properties: {
      endpoint: { type: "string", pattern: "^(https?://[^/?#]+(/[^?#]*)?)?$", default: "" },
      headers: { type: "object", additionalProperties: { type: "string" }, default: {} },
      service_name: { type: "string", minLength: 1, default: "weir" },
      resource: { type: "object", additionalProperties: { type: "string" }, default: {} },
      labels: { type: "boolean", default: true },
      batch_spans: { type: "integer", minimum: 1, maximum: 10_000, default: 512 },
      queue_spans: { type: "integer", minimum: 1, maximum: 1_000_000, default: 20_000 },
      interval_ms: { type: "integer", minimum: 10, maximum: 600_000, default: 1_000 },
      timeout_ms: { type: "integer", minimum: 100, maximum: 60_000, default: 10_000 },
    },
    additionalProperties: false,
  },

  setup({ options, log, gateway }) {
    // Only the recorder's thread creates records.
    if (gateway !== undefined || options.endpoint === "") return {};
    const queue = new SpanQueue({
      url: tracesAddress(options.endpoint),
      headers: options.headers,
      resource: { "service.name": options.service_name, ...options.resource },
      batchSpans: options.batch_spans,
      queueSpans: options.queue_spans,
      intervalMs: options.interval_ms,
      timeoutMs: options.timeout_ms,
      log,
    });
    return {
      onRecorded(draft) {
        const { facts } = draft;
        // A request without a known format and a model, such as a list of files, is not a model operation.
        if (facts.wireSchema === null && draft.model === null) return;
        const trace = traceOf(draft.request_id, facts.requestHeaders);
        if (!trace.sampled) queue.counts.spans_unsampled++;
        else queue.add(spanOf(draft, trace, options.labels));
      },
      counters: () => queue.counts,
      dispose: () => queue.close(),
    };
  },
} satisfies GatewayPlugin;

/** The traces address of a collector: derived from its base address, or given directly. */
function tracesAddress(endpoint: string): string {
  const address = endpoint.replace(/\/+$/, "");
  return address.endsWith("/v1/traces") ? address : `${address}/v1/traces`;
}
