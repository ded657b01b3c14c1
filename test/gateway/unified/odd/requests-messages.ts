import type { Json } from "../../../../src/plugin-host/contract.ts";
import { PDF, PNG } from "../matrix/scenes.ts";

const base = { max_tokens: 2_000, messages: [{ role: "user", content: "mark-hello" }] };
const nulls = (names: string): Json => Object.fromEntries(names.split(" ").map((name) => [name, null]));
const user = (...content: Json[]): Json => ({ ...base, messages: [{ role: "user", content }] });
const text = (value: string, more: Json = {}): Json => ({ type: "text", text: value, ...more });
const image = { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } };
const pdf = { type: "base64", media_type: "application/pdf", data: PDF };
const plainText = { type: "text", media_type: "text/plain", data: "mark-data" };
const CITY = { type: "object", properties: { city: { type: "string" } } };
const tool = (name: string, more: Json = {}): Json => ({
  name,
  description: `mark-about-${name}`,
  input_schema: CITY,
  ...more,
});
const asking = (tools: Json[], more: Json = {}): Json => ({ ...base, tools, ...more });
const talk = (content: Json, more: Json = "mark-more"): Json => ({
  ...base,
  messages: [...base.messages, { role: "assistant", content }, { role: "user", content: more }],
});
const loop = (assistant: Json[], results: Json[], more: Json = {}): Json => ({
  ...talk(assistant, results),
  tools: [tool("look")],
  ...more,
});
const use = (id: string, more: Json = {}): Json => ({
  type: "tool_use",
  id,
  name: "look",
  input: { city: "mark-oslo" },
  ...more,
});
const result = (content: Json, more: Json = {}): Json => ({
  type: "tool_result",
  tool_use_id: "toolu_1",
  content,
  ...more,
});
const resultOf = (content: Json, more: Json = {}): Json => loop([use("toolu_1")], [result(content, more)]);
const mark = { cache_control: { type: "ephemeral", ttl: "1h" } };
const found = {
  type: "search_result",
  source: "https://mark.invalid/s",
  title: "mark-title",
  content: [text("mark-1")],
};
const bash = { type: "bash_20250124", name: "bash" };
const mcp = { type: "mcp_toolset", mcp_server_name: "mark-mcp" };
const mcp_servers = [{ type: "url", name: "mark-mcp", url: "https://mark.invalid", authorization_token: "mark-t" }];

/** Requests to Anthropic's messages that are legal and seldom seen. */
export const ODD_MESSAGES: Readonly<Record<string, Json>> = {
  plain: base,
  "system as an empty text": { ...base, system: "" },
  "system as an empty list": { ...base, system: [] },
  "system as blocks with marks": { ...base, system: [text("mark-a", mark), text("mark-b")] },
  "nulls everywhere": { ...base, ...nulls("system tools tool_choice thinking metadata stop_sequences temperature") },
  "metadata with null": { ...base, metadata: { user_id: null } },
  "no tools": asking([]),
  "empty stop sequences": { ...base, stop_sequences: [] },
  "stop sequences": { ...base, stop_sequences: ["mark-stop", "mark-end"] },
  "many stop sequences": { ...base, stop_sequences: ["a1", "b1", "c1", "d1", "e1", "f1", "g1"] },
  "unknown members": { ...base, mark_unknown: "mark-unknown", another: { deep: "mark-deep" } },
  "unknown members of parts": user(text("mark-a", { mark_other: "mark-x" }), { ...image, mark_other: "mark-y" }),
  "unknown members of messages": { ...base, messages: [{ role: "user", content: "mark-a", mark_id: "mark-id" }] },
  "empty content list": talk([]),
  "empty text blocks": user(text(""), text("mark-a"), text("  ")),
  "two turns of a user": { ...base, messages: [...base.messages, { role: "user", content: [text("mark-b")] }] },
  "a prefilled turn": { ...base, messages: [...base.messages, { role: "assistant", content: "mark-{ " }] },
  "a prefilled turn of blocks": {
    ...base,
    messages: [...base.messages, { role: "assistant", content: [text("mark-a "), text("mark-b ")] }],
  },
  "a system turn": {
    ...base,
    messages: [...base.messages, { role: "system", content: "mark-sys" }, { role: "user", content: "mark-more" }],
  },
  "an image by address": user(text("mark-a"), {
    type: "image",
    source: { type: "url", url: "https://mark.invalid/a.png" },
  }),
  "an image of a file": user(text("mark-a"), { type: "image", source: { type: "file", file_id: "file_mark" } }),
  "an image alone": user(image),
  "a document": user(
    { type: "document", source: pdf, title: "mark-title", context: "mark-context", citations: { enabled: true } },
    text("mark-a"),
  ),
  "a document alone": user({ type: "document", source: pdf, ...nulls("title context citations") }),
  "a document without citations": user({ type: "document", source: pdf, citations: { enabled: false } }),
  "a document of text": user({ type: "document", source: plainText, title: "mark title.v2" }, text("mark-a")),
  "a document of blocks": user({
    type: "document",
    source: { type: "content", content: [text("mark-one"), image, text("mark-two")] },
  }),
  "a document of one text": user({ type: "document", source: { type: "content", content: "mark-whole" } }),
  "a document by address": user({ type: "document", source: { type: "url", url: "https://mark.invalid/a.pdf" } }),
  "a document of a file": user({ type: "document", source: { type: "file", file_id: "file_mark" } }),
  "a search result": user({ ...found, citations: { enabled: true } }, text("mark-a")),
  "cited text in history": talk([
    text("mark-said", {
      citations: [{ type: "char_location", cited_text: "mark-c", document_index: 0, document_title: "mark-d" }],
    }),
  ]),
  "thoughts signed and redacted": loop(
    [
      { type: "thinking", thinking: "mark-thought", signature: "anthropic-signed-1" },
      { type: "redacted_thinking", data: "mark-redacted" },
      text("mark-said"),
      use("toolu_1", { caller: { type: "direct" } }),
    ],
    [result("mark-result")],
    { thinking: { type: "enabled", budget_tokens: 1_024 } },
  ),
  "thoughts without a signature": loop(
    [{ type: "thinking", thinking: "mark-thought", signature: "" }, use("toolu_1")],
    [result("mark-result")],
  ),
  "adaptive thinking": { ...base, thinking: { type: "adaptive" }, output_config: { effort: "xhigh" } },
  "the greatest effort": { ...base, output_config: { effort: "max" } },
  "adaptive thinking, omitted": { ...base, thinking: { type: "adaptive", display: "omitted" } },
  "no thinking": { ...base, thinking: { type: "disabled" } },
  "effort alone": { ...base, output_config: { effort: "low" } },
  "structured output": { ...base, output_config: { format: { type: "json_schema", schema: CITY } } },
  "structured output by its old name": { ...base, output_format: { type: "json_schema", schema: CITY } },
  "results with images": loop([use("toolu_1")], [result([text("mark-r"), image, text("mark-s")]), text("mark-more")]),
  "a result of an image alone": resultOf([image]),
  "a result without content": resultOf(undefined),
  "a result of an empty list": resultOf([]),
  "a failed result": resultOf("mark-failed", { is_error: true }),
  "a failed result without content": resultOf(undefined, { is_error: true }),
  "a result with a document": resultOf([text("mark-r"), { type: "document", source: plainText, title: "mark-title" }]),
  "a result with a PDF": resultOf([{ type: "document", source: pdf }]),
  "a result with a search result": resultOf([found]),
  "a result with a tool reference": resultOf([{ type: "tool_reference", tool_name: "look" }, text("mark-a")]),
  "two results out of order": loop(
    [use("toolu_1"), use("toolu_2")],
    [text("mark-first"), { ...result("mark-two"), tool_use_id: "toolu_2" }, result("mark-one")],
  ),
  "a call without input": loop([use("toolu_1", { input: {} })], [result("mark-r")]),
  "calls without tools": { ...resultOf("mark-r"), tools: undefined },
  "marks everywhere": {
    ...loop([text("mark-a", mark), use("toolu_1", mark)], [result([text("mark-r", mark)], mark)]),
    tools: [tool("look", mark)],
    cache_control: { type: "ephemeral" },
  },
  "an any choice": asking([tool("look")], { tool_choice: { type: "any" } }),
  "one tool chosen": asking([tool("look"), tool("find")], { tool_choice: { type: "tool", name: "find" } }),
  "no tool chosen": asking([tool("look")], { tool_choice: { type: "none" } }),
  "one call at a time": asking([tool("look")], { tool_choice: { type: "auto", disable_parallel_tool_use: true } }),
  "a strict tool": asking([
    tool("look", {
      type: "custom",
      strict: true,
      input_schema: { ...CITY, required: ["city"], additionalProperties: false },
    }),
  ]),
  "tools with new members": asking([
    tool("look", {
      eager_input_streaming: true,
      defer_loading: true,
      allowed_callers: ["direct"],
      input_examples: [{ city: "mark-ex" }],
    }),
  ]),
  "a tool with a long name": loop([use("toolu_1", { name: "n".repeat(100) })], [result("mark-r")], {
    tools: [tool("n".repeat(100))],
  }),
  "a tool without properties": asking([{ name: "look", input_schema: { type: "object" } }]),
  "a tool of unusual schema": asking([
    tool("look", {
      input_schema: {
        type: "object",
        properties: { a: { type: ["string", "null"], const: "mark-c" }, b: { $ref: "#/$defs/B" } },
        $defs: { B: { type: "integer", exclusiveMinimum: 3 } },
        additionalProperties: false,
      },
    }),
  ]),
  "hosted tools beside one": asking([
    tool("look"),
    bash,
    { type: "code_execution_20250825", name: "code_execution" },
    { type: "text_editor_20250728", name: "str_replace_based_edit_tool", max_characters: 100 },
    { type: "computer_20250124", name: "computer", display_width_px: 10, display_height_px: 10 },
    { type: "memory_20250818", name: "memory" },
    { type: "web_fetch_20250910", name: "web_fetch", max_uses: 2 },
    { type: "tool_search_tool_regex_20251119", name: "tool_search_tool_regex" },
  ]),
  "a hosted tool alone": asking([bash]),
  "a hosted tool chosen": asking([tool("look"), bash], { tool_choice: { type: "tool", name: "bash" } }),
  "web search": asking([
    tool("look"),
    {
      type: "web_search_20250305",
      name: "web_search",
      max_uses: 3,
      allowed_domains: ["mark.invalid"],
      user_location: { type: "approximate", city: "mark-oslo", timezone: "Europe/Oslo" },
    },
  ]),
  "web search alone": asking([{ type: "web_search_20250305", name: "web_search", blocked_domains: ["mark.invalid"] }]),
  "history of hosted tools": talk([
    { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "mark-q" } },
    {
      type: "web_search_tool_result",
      tool_use_id: "srvtoolu_1",
      content: [
        { type: "web_search_result", url: "https://mark.invalid", title: "mark-t", encrypted_content: "mark-e" },
      ],
    },
    text("mark-said"),
  ]),
  "history of code execution": talk(
    [
      { type: "server_tool_use", id: "srvtoolu_1", name: "bash_code_execution", input: { command: "mark-q" } },
      {
        type: "bash_code_execution_tool_result",
        tool_use_id: "srvtoolu_1",
        content: { type: "bash_code_execution_result", stdout: "mark-out", stderr: "", return_code: 0, content: [] },
      },
    ],
    [{ type: "container_upload", file_id: "file_mark" }, text("mark-more")],
  ),
  "MCP servers": asking([tool("look"), mcp], { mcp_servers }),
  "MCP servers alone": asking([mcp], { mcp_servers }),
  "history of MCP": talk([
    { type: "mcp_tool_use", id: "mcptoolu_1", name: "mark-n", server_name: "mark-s", input: {} },
    { type: "mcp_tool_result", tool_use_id: "mcptoolu_1", is_error: false, content: [text("mark-out")] },
    text("mark-said"),
  ]),
  "context management, container, tier, geography": {
    ...base,
    context_management: { edits: [{ type: "clear_tool_uses_20250919" }] },
    container: "mark-container",
    service_tier: "standard_only",
    inference_geo: "mark-us",
    speed: "fast",
  },
  "service tier auto": { ...base, service_tier: "auto" },
  "sampling of all kinds": { ...base, temperature: 0.5, top_p: 0.9, top_k: 40 },
  "one token": { ...base, max_tokens: 1 },
  "very many tokens": { ...base, max_tokens: 1_000_000 },
  "thinking with a budget above the limit": { ...base, thinking: { type: "enabled", budget_tokens: 5_000 } },
  "a compaction block": talk([{ type: "compaction", content: "mark-summary" }]),
  "surrogates and controls": user(text("mark-\u0000-\u2028-😀")),
};
