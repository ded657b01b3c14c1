import { messageOf } from "../../log.ts";
import type { ProviderPlugin } from "../../plugin-host/contract.ts";
import type { TrialExchange } from "./exchange.ts";
import { readTrial } from "./read-trial.ts";
import { SAMPLES } from "./samples.ts";
import type { Trial } from "./trial.ts";
import { ownShapes, tryShape } from "./try-shape.ts";

/** Reads one exchange as the recorder would with this provider. */
export function tryProvider(exchange: TrialExchange, provider: ProviderPlugin): Trial {
  const read = readTrial(exchange, provider, new Date());
  const { reading, cost, costFault } = read;
  const results = {
    request_model: reading.requestModel ?? null,
    model: reading.model ?? reading.requestModel ?? null,
    user: reading.userId ?? null,
    usage: reading.usage ?? null,
    cost,
    text: reading.completionText ?? null,
    finish_reason: reading.finishReason ?? null,
    error: reading.error?.message ?? null,
    schema: reading.wireSchema ?? null,
  };
  const faults = [
    ...(reading.fault === undefined ? [] : [reading.fault]),
    ...(costFault === undefined ? [] : [`cost failed: ${messageOf(costFault)}`]),
  ];
  const lines = Object.entries(results).flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`],
  );
  const shapes = ownShapes(provider).map((shape) => tryShape(shape, read));
  return {
    lines: [...lines, ...shapes.flatMap((shape) => shape.lines)],
    results: Object.assign(results, ...shapes.map((shape) => shape.results)),
    faults: [...faults, ...shapes.flatMap((shape) => shape.faults)],
  };
}

/** The samples of OpenAI's API, sent to this provider; none if it has its own format. */
export function samplesFor({ extends: like, target, hosts = [] }: ProviderPlugin): readonly TrialExchange[] {
  const host = hosts.find((pattern) => !pattern.includes("*"));
  const origin = target ?? (host === undefined ? undefined : `https://${host}`);
  if (like?.toUpperCase() !== "OPENAI" || origin === undefined) return [];
  return SAMPLES.filter(({ request }) => new URL(request.url).hostname === "api.openai.com").map((sample) => ({
    ...sample,
    request: { ...sample.request, url: `${origin}${new URL(sample.request.url).pathname}` },
  }));
}
