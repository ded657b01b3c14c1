import { describe, expect, test } from "bun:test";
import { translateRequest } from "../../../src/mapping/translate/translate.ts";
import { FOREIGN_CALL } from "../../../src/mapping/wire/generate-content/parts.ts";
import { SHAPES } from "../../../src/mapping/wire/shapes.ts";
import type { Json, ModelFacts } from "../../../src/plugin-host/contract.ts";

const shape = SHAPES["generate-content"]!;
const chat = SHAPES["chat-completions"]!;
const messages = SHAPES["messages"]!;

/** Facts of `providers/google.ts`, by generation. */
const GEMINI_2: ModelFacts = { reasoning: "none", jsonSchema: false, maxOutput: 8192 };
const GEMINI_25: ModelFacts = { reasoning: "budget", jsonSchema: true };
const GEMINI_3: ModelFacts = { reasoning: "level", jsonSchema: true, needsSignatures: true };

const said = { role: "user", content: "Hi" };
const sent = (body: Json, facts: ModelFacts = GEMINI_3, from = chat) =>
  translateRequest(from.readRequest!({ messages: [said], ...body }), shape, {
    model: "gemini",
    facts,
    issuer: "google",
  });
const config = (body: Json, facts?: ModelFacts) => sent(body, facts).body.generationConfig;
const lost = (body: Json, facts?: ModelFacts) => sent(body, facts).losses.map(({ kind, path }) => `${kind} ${path}`);

const tool = (name: string, parameters: Json = { type: "object", properties: { a: { type: "string" } } }) => ({
  type: "function",
  function: { name, parameters },
});

describe("members of a request", () => {
  test.each([
    ["max_completion_tokens", { max_completion_tokens: 9 }, { maxOutputTokens: 9 }],
    ["temperature", { temperature: 1.7 }, { temperature: 1.7 }],
    ["top_p, top_k", { top_p: 0.5, top_k: 4 }, { topP: 0.5, topK: 4 }],
    ["stop", { stop: ["a", "b", "c", "d", "e", "f"] }, { stopSequences: ["a", "b", "c", "d", "e"] }],
    ["seed", { seed: 7 }, { seed: 7 }],
    ["penalties", { presence_penalty: 1, frequency_penalty: -1 }, { presencePenalty: 1, frequencyPenalty: -1 }],
    ["n", { n: 3 }, { candidateCount: 3 }],
    ["logprobs", { logprobs: true, top_logprobs: 2 }, { responseLogprobs: true, logprobs: 2 }],
    ["a JSON object", { response_format: { type: "json_object" } }, { responseMimeType: "application/json" }],
    ["pictures out", { modalities: ["text", "image"] }, { responseModalities: ["TEXT", "IMAGE"] }],
  ])("%s", (_name, body: Json, expected: Json) => {
    expect(config(body)).toEqual(expected);
  });

  test.each([
    ["logit_bias", { logit_bias: { 1: 1 } }, ["dropped logit_bias"]],
    ["verbosity", { verbosity: "low" }, ["dropped verbosity"]],
    ["user", { user: "u" }, ["dropped user"]],
    ["metadata", { metadata: { a: "b" } }, ["dropped metadata"]],
    ["service_tier", { service_tier: "flex" }, ["dropped service_tier"]],
    ["prediction", { prediction: { type: "content", content: "x" } }, ["dropped prediction"]],
    ["prompt_cache_key needs none", { prompt_cache_key: "k" }, []],
    [
      "spoken responses",
      { modalities: ["text", "audio"], audio: { voice: "x" } },
      ["refused audio", "refused modalities"],
    ],
    ["one call at a time", { tools: [tool("f")], parallel_tool_calls: false }, ["dropped parallel_tool_calls"]],
    [
      "an address that was not fetched",
      { messages: [{ role: "user", content: [picture] }] },
      ["refused messages[0].content[0]"],
    ],
    ["more stop texts than five", { stop: ["1", "2", "3", "4", "5", "6"] }, ["approximated stop"]],
  ])("%s", (_name, body: Json, expected) => {
    expect(lost(body)).toEqual(expected);
  });

  test("system texts lead, later ones are the user's", () => {
    const { body } = sent({
      messages: [
        { role: "system", content: "Be brief" },
        { role: "developer", content: "Be kind" },
        said,
        { role: "assistant", content: "Hello" },
        { role: "system", content: "Now shout" },
      ],
    });
    expect(body).toEqual({
      contents: [
        { role: "user", parts: [{ text: "Hi" }] },
        { role: "model", parts: [{ text: "Hello" }] },
        { role: "user", parts: [{ text: "<system>Now shout</system>" }] },
      ],
      systemInstruction: { parts: [{ text: "Be brief" }, { text: "Be kind" }] },
    });
  });

  test("bytes are inline, whatever they are of", () => {
    const { body } = sent({
      messages: [
        {
          role: "user",
          content: [
            { type: "image_url", image_url: { url: "data:image/png;base64,iVBO" } },
            { type: "file", file: { file_data: "data:application/pdf;base64,JVBE", filename: "a.pdf" } },
            { type: "input_audio", input_audio: { data: "UklG", format: "wav" } },
          ],
        },
      ],
    });
    expect(body.contents[0].parts).toEqual([
      { inlineData: { mimeType: "image/png", data: "iVBO" } },
      { inlineData: { mimeType: "application/pdf", data: "JVBE" } },
      { inlineData: { mimeType: "audio/wav", data: "UklG" } },
    ]);
  });

  test.each([
    ["auto", "auto", { mode: "AUTO" }],
    ["none", "none", { mode: "NONE" }],
    ["any", "required", { mode: "ANY" }],
    ["one", { type: "function", function: { name: "g" } }, { mode: "ANY", allowedFunctionNames: ["g"] }],
    [
      "any of the allowed",
      {
        type: "allowed_tools",
        allowed_tools: { mode: "required", tools: [{ type: "function", function: { name: "f" } }] },
      },
      { mode: "ANY", allowedFunctionNames: ["f"] },
    ],
  ])("tool_choice %s", (_name, tool_choice: Json, functionCallingConfig) => {
    const { body, losses } = sent({ tools: [tool("f"), tool("g")], tool_choice });
    expect(body.toolConfig).toEqual({ functionCallingConfig });
    expect(body.tools[0].functionDeclarations.map(({ name }: Json) => name)).toEqual(["f", "g"]);
    expect(losses).toEqual([]);
  });

  test("allowed tools that need not be called are all that is offered", () => {
    const tool_choice = {
      type: "allowed_tools",
      allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: "f" } }] },
    };
    const { body } = sent({ tools: [tool("f"), tool("g")], tool_choice });
    expect(body.tools[0].functionDeclarations.map(({ name }: Json) => name)).toEqual(["f"]);
  });

  test("strict is dropped, and a search together with functions, which Gemini refuses", () => {
    const { body, losses } = sent({
      tools: [{ type: "function", function: { name: "f", strict: true, parameters: { type: "object" } } }],
      web_search_options: { search_context_size: "low" },
    });
    expect(body.tools).toEqual([{ functionDeclarations: [{ name: "f", parametersJsonSchema: { type: "object" } }] }]);
    expect(losses.map(({ kind, path }) => `${kind} ${path}`).sort()).toEqual([
      "dropped tools[0].strict",
      "dropped web_search_options",
    ]);
  });

  test("a search alone is Google's", () => {
    const { body, losses } = sent({ web_search_options: { search_context_size: "low" } });
    expect(body.tools).toEqual([{ googleSearch: {} }]);
    expect(losses.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      "dropped web_search_options.search_context_size",
    ]);
  });
});

const picture = { type: "image_url", image_url: { url: "https://x.test/a.png" } };

describe("effort", () => {
  test.each([
    ["none", 0, "minimal"],
    ["minimal", 1024, "minimal"],
    ["low", 1024, "low"],
    ["medium", 8192, "medium"],
    ["high", 24_576, "high"],
    ["xhigh", 24_576, "high"],
  ])("%s", (reasoning_effort, thinkingBudget, thinkingLevel) => {
    const shown = reasoning_effort === "none" ? {} : { includeThoughts: true };
    expect(config({ reasoning_effort }, GEMINI_25)).toEqual({ thinkingConfig: { thinkingBudget, ...shown } });
    expect(config({ reasoning_effort }, GEMINI_3)).toEqual({ thinkingConfig: { thinkingLevel, ...shown } });
  });

  test("what was not requested is not sent, and omitted thoughts are not requested", () => {
    expect(config({})).toBeUndefined();
    expect(config({ reasoning: { effort: "low", exclude: true } })).toEqual({
      thinkingConfig: { thinkingLevel: "low" },
    });
    expect(lost({ reasoning_effort: "high" }, GEMINI_2)).toEqual(["dropped reasoning_effort"]);
  });

  test("a budget of the client's stays within what the model takes", () => {
    const body = { max_tokens: 64_000, thinking: { type: "enabled", budget_tokens: 50_000 } };
    const { body: written, losses } = sent(body, GEMINI_25, messages);
    expect(written.generationConfig.thinkingConfig).toEqual({ thinkingBudget: 24_576, includeThoughts: true });
    expect(losses.map(({ kind, path }) => `${kind} ${path}`)).toEqual(["approximated thinking"]);
  });
});

describe("quirk 22: schemas", () => {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: { a: { $ref: "#/$defs/A" }, b: { const: "x" }, c: { type: ["integer", "null"], exclusiveMinimum: 0 } },
    required: ["a"],
    additionalProperties: false,
    $defs: { A: { type: "string", description: "An A" } },
  };
  const response_format = { type: "json_schema", json_schema: { name: "r", schema } };

  test("go as they are where JSON Schema is taken", () => {
    expect(config({ response_format })).toEqual({ responseMimeType: "application/json", responseJsonSchema: schema });
    expect(sent({ tools: [tool("f", schema)] }).body.tools[0].functionDeclarations[0].parametersJsonSchema).toEqual(
      schema,
    );
    expect(lost({ response_format })).toEqual([]);
  });

  const rewritten = {
    type: "object",
    properties: {
      a: { type: "string", description: "An A" },
      b: { type: "string", enum: ["x"] },
      c: { type: "integer", nullable: true, description: 'JSON Schema: {"exclusiveMinimum":0}' },
    },
    required: ["a"],
  };

  test("are rewritten for models without it, and the loss is named", () => {
    expect(config({ response_format }, GEMINI_2)).toEqual({
      responseMimeType: "application/json",
      responseSchema: rewritten,
    });
    const { body, losses } = sent(
      { tools: [tool("f", schema), tool("g", { type: "object", properties: {} })] },
      GEMINI_2,
    );
    expect(body.tools[0].functionDeclarations).toEqual([{ name: "f", parameters: rewritten }, { name: "g" }]);
    expect(losses.map(({ kind, path }) => `${kind} ${path}`)).toEqual(["approximated tools[0].parameters"]);
  });
});

describe("history of calls", () => {
  const call = (id: string, name: string, extra = {}) => ({
    id,
    type: "function",
    function: { name, arguments: '{"a":"b"}' },
    ...extra,
  });
  const history = (calls: Json[]) => ({
    tools: [tool("f"), tool("g")],
    messages: [
      said,
      { role: "assistant", content: null, tool_calls: calls },
      ...calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: `{"type":"object","of":"${id}"}` })),
    ],
  });
  const partsOf = (calls: Json[], facts: ModelFacts) => sent(history(calls), facts).body.contents[1].parts;

  test("quirks 7, 23, 43: results stand in one turn, as text, with the name of their call", () => {
    const { body } = sent(history([call("c1", "f"), call("c2", "g")]), GEMINI_25);
    expect(body.contents[2]).toEqual({
      role: "user",
      parts: [
        { functionResponse: { id: "c1", name: "f", response: { output: '{"type":"object","of":"c1"}' } } },
        { functionResponse: { id: "c2", name: "g", response: { output: '{"type":"object","of":"c2"}' } } },
      ],
    });
  });

  test("quirk 9: a call's own signature goes back, another model's call has the placeholder, once a turn", () => {
    const signed = call("c1", "f", { extra_content: { google: { thought_signature: "sig" } } });
    expect(partsOf([signed, call("c2", "g")], GEMINI_3).map((part: Json) => part.thoughtSignature)).toEqual([
      "sig",
      undefined,
    ]);
    expect(partsOf([call("c1", "f"), call("c2", "g")], GEMINI_3).map((part: Json) => part.thoughtSignature)).toEqual([
      FOREIGN_CALL,
      undefined,
    ]);
    expect(partsOf([call("c1", "f")], GEMINI_25)[0].thoughtSignature).toBeUndefined();
  });

  test("an error of a tool is an error, pictures follow the results", () => {
    const { body } = sent(
      {
        tools: [{ name: "f", input_schema: { type: "object" } }],
        messages: [
          said,
          { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "f", input: {} }] },
          {
            role: "user",
            content: [
              {
                type: "tool_result",
                tool_use_id: "c1",
                is_error: true,
                content: [
                  { type: "text", text: "no" },
                  { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBO" } },
                ],
              },
            ],
          },
        ],
        max_tokens: 10,
      },
      GEMINI_25,
      messages,
    );
    expect(body.contents[2].parts).toEqual([
      { functionResponse: { id: "c1", name: "f", response: { error: "no" } } },
      { inlineData: { mimeType: "image/png", data: "iVBO" } },
    ]);
  });
});
