import type { Json } from "../../../../src/plugin-host/contract.ts";
import { PDF, PNG } from "../matrix/scenes.ts";

const hello = { role: "user", content: "mark-hello" };
const base = { messages: [hello] };
const nulls = (names: string): Json => Object.fromEntries(names.split(" ").map((name) => [name, null]));
const user = (...content: Json[]): Json => ({ messages: [{ role: "user", content }] });
const text = (value: string, more: Json = {}): Json => ({ type: "text", text: value, ...more });
const image = { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } };
const tool = (name: string, more: Json = {}): Json => ({
  type: "function",
  function: {
    name,
    description: `mark-about-${name}`,
    parameters: { type: "object", properties: { city: { type: "string" } } },
    ...more,
  },
});
const call = (id: string, more: Json = {}): Json => ({
  id,
  type: "function",
  function: { name: "look", arguments: '{"city":"mark-oslo"}' },
  ...more,
});
const talk = (response: Json, ...more: Json[]): Json => ({
  messages: [
    hello,
    { role: "assistant", ...response },
    ...(more.length > 0 ? more : [{ role: "user", content: "mark-more" }]),
  ],
});
const loop = (calls: Json[], ...results: Json[]): Json => ({
  tools: [tool("look")],
  ...talk({ content: null, tool_calls: calls }, ...results),
});
const result = (id: string, content: Json, more: Json = {}): Json => ({
  role: "tool",
  tool_call_id: id,
  content,
  ...more,
});

/** Requests to chat completions that are legal and seldom seen. */
export const ODD_CHAT: Readonly<Record<string, Json>> = {
  plain: base,
  "no messages": { messages: [] },
  "a system text alone": { messages: [{ role: "system", content: "mark-sys" }] },
  "nulls everywhere": {
    ...base,
    ...nulls(
      "tools tool_choice stop n logit_bias response_format user metadata max_tokens stream_options reasoning_effort functions modalities audio service_tier",
    ),
  },
  "defaults said aloud": {
    ...base,
    n: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    logprobs: false,
    logit_bias: {},
    stop: [],
    metadata: {},
    store: false,
    service_tier: "auto",
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [tool("look")],
    response_format: { type: "text" },
    verbosity: "medium",
    modalities: ["text"],
    user: "",
  },
  "an echoed answer": talk({
    content: "mark-said",
    refusal: null,
    annotations: [],
    audio: null,
    function_call: null,
    tool_calls: null,
  }),
  "an echoed answer with an id": talk({
    id: "mark-id",
    content: "mark-said",
    provider_specific_fields: { a: "mark-p" },
  }),
  "an annotated answer": talk({
    content: "mark-said",
    annotations: [
      {
        type: "url_citation",
        url_citation: { url: "https://mark.invalid", title: "mark-t", start_index: 0, end_index: 3 },
      },
    ],
  }),
  "an empty answer": talk({ content: "" }),
  "an answer of null": talk({ content: null }),
  "an answer of parts": talk({ content: [text("mark-a"), { type: "refusal", refusal: "mark-no" }] }),
  "a refusal": talk({ content: null, refusal: "mark-no" }),
  "a spoken answer": talk({ content: null, audio: { id: "audio_mark" } }),
  "a made image": talk({
    content: "mark-said",
    images: [{ type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } }],
  }),
  "reasoning text": talk({ content: "mark-said", reasoning_content: "mark-thought" }),
  "reasoning details": talk({
    content: "mark-said",
    reasoning_details: [
      {
        type: "reasoning.text",
        text: "mark-thought",
        signature: "anthropic-signed-1",
        format: "anthropic-claude-v1",
        index: 0,
      },
    ],
  }),
  "a last answer": { messages: [hello, { role: "assistant", content: "mark-said" }] },
  names: {
    messages: [
      { role: "system", name: "mark-s", content: "mark-sys" },
      { role: "user", name: "mark-u", content: "mark-a" },
    ],
  },
  "unknown members": { ...base, mark_unknown: "mark-x", extra_body: { a: "mark-y" } },
  "unknown members of messages": { messages: [{ ...hello, mark_other: "mark-x" }] },
  "unknown members of parts": user(text("mark-a", { mark_other: "mark-x" }), {
    ...image,
    image_url: { ...image.image_url, mark_other: "mark-y" },
  }),
  "unknown members of tools": { ...base, tools: [{ ...tool("look", { mark_other: "mark-x" }), mark_more: "mark-y" }] },
  "an empty list of parts": { messages: [{ role: "user", content: [] }, hello] },
  "an empty text": { messages: [{ role: "user", content: "" }, hello] },
  "image as a text": user(text("mark-a"), { type: "image_url", image_url: `data:image/png;base64,${PNG}` }),
  "an image in detail": user({ type: "image_url", image_url: { ...image.image_url, detail: "low" } }),
  audio: user({ type: "input_audio", input_audio: { data: PNG, format: "mp3" } }),
  "a file": user({ type: "file", file: { filename: "mark.pdf", file_data: `data:application/pdf;base64,${PDF}` } }),
  "a file of an id": user({ type: "file", file: { file_id: "file_mark" } }),
  "a video": user({ type: "video_url", video_url: { url: "https://mark.invalid" } }),
  "results out of order": loop(
    [call("call_1"), call("call_2")],
    result("call_2", "mark-2"),
    result("call_1", "mark-1"),
  ),
  "a result of parts": loop([call("call_1")], result("call_1", [text("mark-a"), text("mark-b")])),
  "a result with a name": loop([call("call_1")], result("call_1", "mark-a", { name: "look" })),
  "an empty result": loop([call("call_1")], result("call_1", "")),
  "a call without arguments": loop(
    [call("call_1", { function: { name: "look", arguments: "" } })],
    result("call_1", "mark-a"),
  ),
  "a call with a signature": loop(
    [call("call_1", { extra_content: { google: { thought_signature: "google-signed-call" } } })],
    result("call_1", "mark-a"),
  ),
  "a call with an index": loop([call("call_1", { index: 0 })], result("call_1", "mark-a")),
  "text beside a call": {
    tools: [tool("look")],
    ...talk({ content: "mark-look", tool_calls: [call("call_1")] }, result("call_1", "mark-r"), {
      role: "user",
      content: "mark-more",
    }),
  },
  "old functions": {
    functions: [{ name: "look", description: "mark-d", parameters: { type: "object", properties: {} } }],
    function_call: { name: "look" },
    messages: [
      hello,
      { role: "assistant", content: null, function_call: { name: "look", arguments: "{}" } },
      { role: "function", name: "look", content: "mark-r" },
    ],
  },
  "a custom tool": {
    ...base,
    tools: [
      {
        type: "custom",
        custom: {
          name: "patch",
          description: "mark-d",
          format: { type: "grammar", grammar: { syntax: "regex", definition: "mark+" } },
        },
      },
    ],
    tool_choice: { type: "custom", custom: { name: "patch" } },
  },
  "a custom call": {
    tools: [{ type: "custom", custom: { name: "patch" } }],
    ...talk(
      { content: null, tool_calls: [{ id: "call_1", type: "custom", custom: { name: "patch", input: "mark raw" } }] },
      result("call_1", "mark-r"),
    ),
  },
  "allowed tools": {
    ...base,
    tools: [tool("look"), tool("find")],
    tool_choice: {
      type: "allowed_tools",
      allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: "find" } }] },
    },
  },
  "search options": {
    ...base,
    web_search_options: {
      search_context_size: "high",
      user_location: { type: "approximate", approximate: { city: "mark-oslo" } },
    },
  },
  "a schema": {
    ...base,
    response_format: {
      type: "json_schema",
      json_schema: {
        name: "mark-n",
        description: "mark-d",
        strict: true,
        schema: {
          type: "object",
          properties: { "mark-x": { type: "string" } },
          required: ["mark-x"],
          additionalProperties: false,
        },
      },
    },
  },
  "a JSON object": { ...base, response_format: { type: "json_object" } },
  "stop texts": { ...base, stop: ["mark-1", "mark-2"] },
  "one stop text": { ...base, stop: "mark-1" },
  "two choices": { ...base, n: 2 },
  "log probabilities": { ...base, logprobs: true, top_logprobs: 2 },
  "penalties, seed, bias": {
    ...base,
    presence_penalty: 0.5,
    frequency_penalty: 0.5,
    seed: 7,
    logit_bias: { 50256: -100 },
  },
  spoken: { ...base, modalities: ["text", "audio"], audio: { voice: "alloy", format: "mp3" } },
  "a picture wanted": { ...base, modalities: ["text", "image"] },
  "prediction, tier, store, metadata": {
    ...base,
    prediction: { type: "content", content: "mark-p" },
    service_tier: "priority",
    store: true,
    metadata: { a: "mark-m" },
    user: "mark-u",
    safety_identifier: "mark-s",
    prompt_cache_key: "mark-k",
    prompt_cache_retention: "24h",
    verbosity: "high",
  },
  "effort of OpenRouter": { ...base, reasoning: { effort: "high", exclude: true } },
  "a budget of OpenRouter": { ...base, reasoning: { max_tokens: 2_000 } },
  "few tokens": { ...base, max_tokens: 5 },
  "both limits": { ...base, max_tokens: 50, max_completion_tokens: 60 },
  marks: {
    messages: [{ role: "system", content: [text("mark-s", { cache_control: { type: "ephemeral" } })] }, hello],
    tools: [{ ...tool("look"), cache_control: { type: "ephemeral", ttl: "1h" } }],
  },
  "stream options": { ...base, stream_options: { include_usage: true, include_obfuscation: false } },
};
