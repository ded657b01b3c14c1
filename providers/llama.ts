import type { Json, ProviderPlugin, StreamReading, Usage } from "weir/plugin";

/**
 * Meta's Llama API: OpenAI-compatible under `compat`, otherwise with one `completion_message` instead of choices, and counts
 * as a list of `metrics`. Its events are folded into the object that it sends without streaming.
 */
export default {
  apiVersion: 1,
  name: "LLAMA",
  aliases: ["llama-api", "meta", "meta-llama"],
  hosts: ["api.llama.com"],
  target: "https://api.llama.com",
  dedicatedDomain: "llama",
  extends: "OPENAI",
  basePath: "/compat/v1",

  readResponse: (body) =>
    Array.isArray(body?.metrics) ? { usage: readMetrics(body.metrics), usageRaw: body.metrics } : {},

  readEvent(reading, { data }) {
    const event = data?.event;
    if (typeof event !== "object" || event === null) return reading;
    const counted = Array.isArray(event.metrics) ? { usage: readMetrics(event.metrics), usageRaw: event.metrics } : {};
    return { ...reading, ...counted, body: grown(reading.body, data, event) };
  },
} satisfies ProviderPlugin;

function grown(body: StreamReading["body"], data: Json, event: Json): Json {
  const message = body?.completion_message ?? {
    role: "assistant",
    content: { type: "text", text: "" },
    tool_calls: [],
  };
  const { delta } = event;
  const text = delta?.type === "text" && typeof delta.text === "string" ? delta.text : "";
  return {
    ...(typeof data.id === "string" ? { id: data.id } : {}),
    ...body,
    completion_message: {
      ...message,
      content: { type: "text", text: message.content.text + text },
      tool_calls: delta?.type === "tool_call" ? withPiece(message.tool_calls, delta) : message.tool_calls,
      ...(typeof event.stop_reason === "string" ? { stop_reason: event.stop_reason } : {}),
    },
    ...(Array.isArray(event.metrics) ? { metrics: event.metrics } : {}),
  };
}

/** A call begins with a piece that has an id; later pieces extend its arguments. */
function withPiece(calls: Json[], { id, function: piece }: Json): Json[] {
  const args = typeof piece?.arguments === "string" ? piece.arguments : "";
  const last = calls.at(-1);
  // Changes the list in place: it is our own, and copying it for each piece would take quadratic time.
  if (typeof id === "string" || last === undefined)
    calls.push({ id, function: { name: piece?.name, arguments: args } });
  else last.function.arguments += args;
  return calls;
}

function readMetrics(metrics: Json[]): Usage {
  const count = (name: string) => metrics.find((metric) => metric?.metric === name)?.value;
  const found = {
    prompt_tokens: count("num_prompt_tokens"),
    completion_tokens: count("num_completion_tokens"),
    total_tokens: count("num_total_tokens"),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => Number.isSafeInteger(value)));
}
