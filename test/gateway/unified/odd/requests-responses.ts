import type { Json } from "../../../../src/plugin-host/contract.ts";
import { PDF, PNG } from "../matrix/scenes.ts";

const base = { input: "mark-hello" };
const nulls = (names: string): Json => Object.fromEntries(names.split(" ").map((name) => [name, null]));
const user = (...content: Json[]): Json => ({ input: [{ role: "user", content }] });
const text = (value: string, more: Json = {}): Json => ({ type: "input_text", text: value, ...more });
const said = (value: string, more: Json = {}): Json => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text: value, annotations: [], logprobs: [] }],
  ...more,
});
const image = { type: "input_image", image_url: `data:image/png;base64,${PNG}`, detail: "high" };
const tool = (name: string, more: Json = {}): Json => ({
  type: "function",
  name,
  description: `mark-about-${name}`,
  parameters: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  },
  strict: true,
  ...more,
});
const call = (id: string, more: Json = {}): Json => ({
  type: "function_call",
  call_id: id,
  name: "look",
  arguments: '{"city":"mark-oslo"}',
  ...more,
});
const output = (id: string, value: Json, more: Json = {}): Json => ({
  type: "function_call_output",
  call_id: id,
  output: value,
  ...more,
});
const loop = (made: Json[], results: Json[], more: Json = {}): Json => ({
  tools: [tool("look")],
  input: [{ role: "user", content: "mark-hello" }, ...made, ...results],
  ...more,
});
const talk = (...items: Json[]): Json => ({
  input: [{ role: "user", content: "mark-hello" }, ...items, { role: "user", content: "mark-more" }],
});

/** Requests to OpenAI's responses that are legal and seldom seen. */
export const ODD_RESPONSES: Readonly<Record<string, Json>> = {
  plain: base,
  "an empty input": { input: "" },
  "no input": {},
  "an empty list": { input: [] },
  "instructions alone": { instructions: "mark-sys" },
  "empty instructions": { ...base, instructions: "" },
  "nulls everywhere": {
    ...base,
    ...nulls(
      "instructions tools tool_choice metadata reasoning text temperature top_p max_output_tokens previous_response_id include user truncation conversation background prompt service_tier store safety_identifier prompt_cache_key prompt_cache_retention max_tool_calls top_logprobs parallel_tool_calls stream_options",
    ),
  },
  "nulls inside": { ...base, reasoning: { effort: null, summary: null }, text: { format: null, verbosity: null } },
  "system and developer texts": {
    input: [
      { role: "system", content: "mark-a" },
      { role: "developer", content: [text("mark-b")] },
      { role: "user", content: "mark-c" },
      { role: "developer", content: "mark-d" },
      { role: "user", content: "mark-e" },
    ],
  },
  "unknown members": { ...base, mark_unknown: "mark-x", moderation: { a: "mark-y" } },
  "unknown members of items and parts": {
    input: [
      { type: "message", role: "user", mark_other: "mark-y", content: [text("mark-a", { mark_other: "mark-x" })] },
    ],
  },
  "echoed items": {
    input: [
      { role: "user", content: "mark-hello" },
      { id: "msg_1", status: "completed", phase: "commentary", ...said("mark-said") },
      { role: "user", content: "mark-more" },
    ],
  },
  "an assistant's text as a text": talk({ role: "assistant", content: "mark-said" }),
  "an annotated answer": talk({
    type: "message",
    id: "msg_1",
    status: "completed",
    role: "assistant",
    content: [
      {
        type: "output_text",
        text: "mark-said",
        annotations: [
          { type: "url_citation", url: "https://mark.invalid", title: "mark-t", start_index: 0, end_index: 4 },
        ],
      },
    ],
  }),
  "a refusal in history": talk({
    type: "message",
    role: "assistant",
    content: [{ type: "refusal", refusal: "mark-no" }],
  }),
  "an empty answer": talk({ type: "message", role: "assistant", content: [] }),
  "a last answer": { input: [{ role: "user", content: "mark-hello" }, said("mark-said")] },
  "an image": user(text("mark-a"), image),
  "an image by address": user(text("mark-a"), { type: "input_image", image_url: "https://mark.invalid/a.png" }),
  "an image of a file": user(text("mark-a"), { type: "input_image", file_id: "file_mark" }),
  "a file": user(
    { type: "input_file", filename: "mark.pdf", file_data: `data:application/pdf;base64,${PDF}` },
    text("mark-a"),
  ),
  "a file without a name": user(
    { type: "input_file", file_data: `data:application/pdf;base64,${PDF}` },
    text("mark-a"),
  ),
  "a file by address": user({ type: "input_file", file_url: "https://mark.invalid/a.pdf" }, text("mark-a")),
  "a text file": user(
    {
      type: "input_file",
      filename: "mark.txt",
      file_data: `data:text/plain;base64,${Buffer.from("mark-data").toString("base64")}`,
    },
    text("mark-a"),
  ),
  audio: user(text("mark-a"), { type: "input_audio", input_audio: { data: PNG, format: "wav" } }),
  "reasoning with state": loop(
    [
      {
        type: "reasoning",
        id: "rs_1",
        summary: [
          { type: "summary_text", text: "mark-s1" },
          { type: "summary_text", text: "mark-s2" },
        ],
        encrypted_content: "openai-signed-1",
      },
      call("call_1"),
    ],
    [output("call_1", "mark-r")],
    { reasoning: { effort: "medium" }, include: ["reasoning.encrypted_content"], store: false },
  ),
  "reasoning without state": loop(
    [{ type: "reasoning", id: "rs_1", summary: [] }, call("call_1")],
    [output("call_1", "mark-r")],
  ),
  "reasoning with content": loop(
    [
      { type: "reasoning", id: "rs_1", summary: [], content: [{ type: "reasoning_text", text: "mark-raw" }] },
      call("call_1"),
    ],
    [output("call_1", "mark-r")],
  ),
  "a reference": talk({ type: "item_reference", id: "msg_mark" }),
  "results of parts": loop(
    [call("call_1")],
    [
      output("call_1", [
        text("mark-r"),
        image,
        { type: "input_file", filename: "mark.pdf", file_data: `data:application/pdf;base64,${PDF}` },
      ]),
    ],
  ),
  "an empty result": loop([call("call_1")], [output("call_1", "")]),
  "a result of an empty list": loop([call("call_1")], [output("call_1", [])]),
  "results apart from calls": loop(
    [call("call_1"), said("mark-between"), call("call_2")],
    [output("call_2", "mark-2"), output("call_1", "mark-1")],
  ),
  "calls with ids and status": loop(
    [call("call_1", { id: "fc_1", status: "completed" })],
    [output("call_1", "mark-r", { id: "fco_1", status: "completed" })],
  ),
  "a call without arguments": loop([call("call_1", { arguments: "" })], [output("call_1", "mark-r")]),
  "a call of broken arguments": loop([call("call_1", { arguments: "{mark" })], [output("call_1", "mark-r")]),
  "calls without tools": { ...loop([call("call_1")], [output("call_1", "mark-r")]), tools: undefined },
  "a custom tool": {
    ...base,
    tools: [
      {
        type: "custom",
        name: "patch",
        description: "mark-d",
        format: { type: "grammar", syntax: "lark", definition: "mark-start: x" },
      },
    ],
  },
  "a custom tool of text": {
    ...base,
    tools: [{ type: "custom", name: "patch", format: { type: "text" } }],
    tool_choice: { type: "custom", name: "patch" },
  },
  "history of a custom tool": {
    input: [
      { role: "user", content: "mark-hello" },
      { type: "custom_tool_call", call_id: "call_1", name: "patch", input: "mark\nraw" },
      { type: "custom_tool_call_output", call_id: "call_1", output: "mark-done" },
    ],
    tools: [{ type: "custom", name: "patch" }],
  },
  "a namespace": {
    ...base,
    tools: [
      {
        type: "namespace",
        name: "mcp__docs",
        description: "mark-docs",
        tools: [tool("look", { defer_loading: true })],
      },
    ],
  },
  "a call in a namespace": {
    input: [
      { role: "user", content: "mark-hello" },
      call("call_1", { namespace: "mcp__docs" }),
      output("call_1", "mark-r"),
    ],
    tools: [{ type: "namespace", name: "mcp__docs", tools: [tool("look")] }],
  },
  "hosted tools beside one": {
    ...base,
    tools: [
      tool("look"),
      { type: "file_search", vector_store_ids: ["vs_1"] },
      { type: "code_interpreter", container: { type: "auto" } },
      { type: "computer_use_preview", display_width: 1, display_height: 1, environment: "linux" },
      { type: "image_generation" },
      { type: "local_shell" },
      { type: "shell" },
      { type: "apply_patch" },
      { type: "mcp", server_label: "mark-l", server_url: "https://mark.invalid" },
      { type: "tool_search" },
    ],
  },
  "a hosted tool alone": { ...base, tools: [{ type: "file_search", vector_store_ids: ["vs_1"] }] },
  "a hosted tool chosen": {
    ...base,
    tools: [tool("look"), { type: "code_interpreter", container: { type: "auto" } }],
    tool_choice: { type: "code_interpreter" },
  },
  "MCP chosen": {
    ...base,
    tools: [tool("look"), { type: "mcp", server_label: "docs", server_url: "https://mark.invalid" }],
    tool_choice: { type: "mcp", server_label: "docs", name: "x" },
  },
  "web search": {
    ...base,
    tools: [
      tool("look"),
      {
        type: "web_search",
        search_context_size: "low",
        user_location: { type: "approximate", city: "mark-oslo" },
        filters: { allowed_domains: ["mark.invalid"] },
      },
    ],
    include: ["web_search_call.action.sources"],
  },
  "web search chosen": {
    ...base,
    tools: [{ type: "web_search_preview" }],
    tool_choice: { type: "web_search_preview" },
  },
  "web search without access": { ...base, tools: [tool("look"), { type: "web_search", external_web_access: false }] },
  "history of hosted tools": talk(
    { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "mark-q" } },
    { type: "file_search_call", id: "fs_1", status: "completed", queries: ["mark-q"], results: null },
    {
      type: "code_interpreter_call",
      id: "ci_1",
      code: "mark-c",
      container_id: "c",
      outputs: null,
      status: "completed",
    },
    said("mark-said"),
  ),
  "history of a shell": talk(
    {
      type: "local_shell_call",
      id: "ls_1",
      call_id: "call_s",
      status: "completed",
      action: { type: "exec", command: ["mark-ls"], env: {} },
    },
    { type: "local_shell_call_output", id: "call_s", output: "mark-out" },
  ),
  "history of computer use": talk(
    {
      type: "computer_call",
      id: "cu_1",
      call_id: "call_c",
      action: { type: "screenshot" },
      pending_safety_checks: [],
      status: "completed",
    },
    {
      type: "computer_call_output",
      call_id: "call_c",
      output: { type: "computer_screenshot", image_url: `data:image/png;base64,${PNG}` },
    },
  ),
  "history of MCP": talk(
    { type: "mcp_list_tools", id: "mcpl_1", server_label: "mark-l", tools: [] },
    { type: "mcp_call", id: "mcp_1", server_label: "mark-l", name: "mark-n", arguments: "{}", output: "mark-o" },
    { type: "mcp_approval_request", id: "mcpr_1", server_label: "l", name: "n", arguments: "{}" },
    { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true },
  ),
  "a made image in history": talk({ type: "image_generation_call", id: "ig_1", status: "completed", result: PNG }),
  "a compaction": talk({ type: "compaction", id: "cmp_1", encrypted_content: "mark-enc" }),
  "an unknown item": talk({ type: "mark_item", value: "mark-v" }),
  "required choice": { ...base, tools: [tool("look")], tool_choice: "required" },
  "no choice": { ...base, tools: [tool("look")], tool_choice: "none" },
  "one chosen": { ...base, tools: [tool("look"), tool("find")], tool_choice: { type: "function", name: "find" } },
  "allowed tools": {
    ...base,
    tools: [tool("look"), tool("find")],
    tool_choice: { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "find" }] },
  },
  "a choice without tools": { ...base, tool_choice: "auto" },
  "a required choice without tools": { ...base, tool_choice: "required" },
  "one call at a time": { ...base, tools: [tool("look")], parallel_tool_calls: false },
  "calls limited": { ...base, tools: [tool("look")], max_tool_calls: 3 },
  "a tool not strict": {
    ...base,
    tools: [tool("look", { strict: false, parameters: { type: "object", properties: {} } })],
  },
  "a tool of null parameters": {
    ...base,
    tools: [tool("look", { strict: null, parameters: null, description: null })],
  },
  "a JSON schema": {
    ...base,
    text: {
      format: {
        type: "json_schema",
        name: "mark_n",
        description: "mark-d",
        strict: true,
        schema: {
          type: "object",
          properties: { "mark-x": { type: "string" } },
          required: ["mark-x"],
          additionalProperties: false,
        },
      },
      verbosity: "low",
    },
  },
  "a JSON object": { ...base, text: { format: { type: "json_object" } } },
  "plain text": { ...base, text: { format: { type: "text" } } },
  "effort none": { ...base, reasoning: { effort: "none" } },
  "effort minimal and a summary": { ...base, reasoning: { effort: "minimal", summary: "detailed" } },
  "effort max": { ...base, reasoning: { effort: "xhigh", summary: "concise" } },
  "a summary alone": { ...base, reasoning: { summary: "auto" } },
  "an old summary": { ...base, reasoning: { effort: "low", generate_summary: "auto" } },
  background: { ...base, background: true },
  "not in the background": { ...base, background: false },
  "a conversation": { ...base, conversation: { id: "conv_mark" } },
  "a stored prompt": { ...base, prompt: { id: "pmpt_mark", version: "1", variables: { a: "mark-v" } } },
  "an earlier response": { ...base, previous_response_id: "resp_mark" },
  stored: {
    ...base,
    store: true,
    metadata: { a: "mark-m" },
    truncation: "auto",
    service_tier: "flex",
    user: "mark-u",
    safety_identifier: "mark-s",
    prompt_cache_key: "mark-k",
    prompt_cache_retention: "24h",
  },
  "not stored": { ...base, store: false },
  includes: {
    ...base,
    include: ["reasoning.encrypted_content", "message.output_text.logprobs", "file_search_call.results"],
    top_logprobs: 2,
  },
  "no log probabilities": { ...base, top_logprobs: 0 },
  sampling: { ...base, temperature: 1.7, top_p: 0.9 },
  "few tokens": { ...base, max_output_tokens: 16 },
  "stream options": { ...base, stream_options: { include_obfuscation: false } },
};
