import type {
  ExchangeView,
  Json,
  ProviderPlugin,
  Reading,
  StreamEvent,
  Usage,
  WireSchemaName,
} from "../plugin/contract.ts";

export interface ExchangeInput extends ExchangeView {
  readonly provider: ProviderPlugin | undefined;
  /** The whole answer where it is JSON and no stream. */
  readonly responseBody: Json;
  /** The answer's events where it is a stream. */
  readonly events: readonly StreamEvent[] | undefined;
  readonly modelOverride: string | undefined;
}

/** All that is told by the bodies of one exchange. A missing member means that nothing said it. */
export interface ExchangeReading extends Reading {
  readonly requestModel?: string;
  readonly responseModel?: string;
  readonly userId?: string;
  readonly usage?: Usage;
  readonly usageEstimated?: true;
  /** The answer as one object, also where it came as a stream. */
  readonly responseBody?: Json;
  /** Last user message or prompt, as text. */
  readonly promptText?: string;
  /** The answer's text. */
  readonly completionText?: string;
  /** The schema that both bodies were read with; missing while the model is pending mapping. */
  readonly wireSchema?: WireSchemaName;
}

/** Reads model, usage, text and outcome of one exchange. Pure; never throws, whatever the bodies hold. */
export function readExchange(_input: ExchangeInput): ExchangeReading {
  throw new Error("not written yet");
}

/** The neutral schema of one exchange, or null where no wire schema fits. Pure; never throws. */
export function toLlmSchema(_input: {
  readonly wireSchema: WireSchemaName | undefined;
  readonly provider: string;
  readonly model: string | null;
  readonly path: string;
  readonly requestBody: Json;
  readonly responseBody: Json;
  readonly status: number | null;
}): { readonly request: Json; readonly response: Json } | null {
  throw new Error("not written yet");
}
