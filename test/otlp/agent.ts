import { type Attributes, type Context, SpanStatusCode, trace } from "@opentelemetry/api";
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtoExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from "@opentelemetry/sdk-trace";

/** The exporters that programs use; each speaks one form of OTLP. */
export const EXPORTERS = {
  protobuf: (url: string, key: string) => new ProtoExporter(optionsOf(url, key)) as unknown as SpanExporter,
  JSON: (url: string, key: string) => new JsonExporter(optionsOf(url, key)) as unknown as SpanExporter,
};

function optionsOf(api: string, key: string) {
  const headers = { Authorization: `Bearer ${key}` };
  return { url: `${api}/v1/traces`, headers, compression: "gzip" as never };
}

interface Work {
  readonly attributes?: Attributes;
  /** What happens within the span; gets its own `traceparent`. */
  readonly within?: (at: Context, traceparent: string) => Promise<void>;
  readonly failure?: string;
}

/** A program whose spans go to Weir as they end. */
export class TracedProgram {
  readonly #provider: TracerProvider;
  readonly #exporter: SpanExporter;

  constructor(exporter: SpanExporter) {
    this.#exporter = exporter;
    this.#provider = new TracerProvider({ spanProcessors: [new BatchSpanProcessor({ exporter })] } as never);
  }

  /** Makes a span as an instrumented program does. @returns its `traceparent`. */
  async span(parent: Context, name: string, { attributes, within, failure }: Work): Promise<string> {
    const tracer = this.#provider.getTracer("agent");
    const made = tracer.startSpan(name, { ...(attributes && { attributes }) }, parent);
    const { traceId, spanId } = made.spanContext();
    const traceparent = `00-${traceId}-${spanId}-01`;
    await within?.(trace.setSpan(parent, made), traceparent);
    if (failure !== undefined) {
      made.recordException(new Error(failure));
      made.setStatus({ code: SpanStatusCode.ERROR, message: failure });
    }
    made.end();
    return traceparent;
  }

  /** Everything is with Weir, or was refused. */
  async flush(): Promise<void> {
    await this.#provider.forceFlush();
    await this.#exporter.forceFlush?.();
  }
}
