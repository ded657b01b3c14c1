import type { ShownDataset } from "../../../api/datasets/datasets.ts";
import type { ShownItem } from "../../../api/datasets/items.ts";

export type Dataset = ShownDataset;
export type Item = ShownItem;

export const DATASETS = ["datasets"] as const;

/** The purpose of each format; the first is the most common. */
export const FORMATS = {
  openai: "OpenAI fine-tuning",
  anthropic: "Anthropic fine-tuning",
  sharegpt: "ShareGPT",
  fixtures: "Fixtures for tests",
  jsonl: "Everything, as JSONL",
} as const;

/** The text of a message, and its tool calls. */
export function messageText(message: unknown): string {
  const { content, tool_calls } = (message ?? {}) as {
    readonly content?: unknown;
    readonly tool_calls?: readonly { readonly function?: { readonly name?: string } }[];
  };
  const text =
    typeof content === "string"
      ? content
      : Array.isArray(content)
        ? content.map((part: { readonly text?: string }) => part?.text ?? "[picture]").join("\n")
        : "";
  const calls = (tool_calls ?? []).map((call) => `→ ${call.function?.name ?? "tool"}(…)`);
  return [text, ...calls].filter(Boolean).join("\n");
}
