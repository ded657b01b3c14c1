import { describe, expect, test } from "bun:test";
import type { Json } from "../../../src/plugin-host/contract.ts";
import {
  ask,
  askClaude,
  block,
  chatToMessages,
  deltasOf,
  messageStart,
  messagesToChat,
  messagesToResponses,
  send,
  stopped,
  user,
  weather,
} from "./translation.ts";

/** Places where gateways are known to break when they translate, each by its number. */

describe("settings", () => {
  test("quirk 17: the one token limit has the name that the model takes", () => {
    const facts = { maxTokensName: "max_completion_tokens" };
    for (const name of ["max_tokens", "max_completion_tokens"]) {
      expect(send(ask({ [name]: 9 }), { from: "chat-completions", to: "chat-completions", facts }).body).toMatchObject({
        max_completion_tokens: 9,
      });
      expect(send(ask({ [name]: 9 }), { from: "chat-completions", to: "chat-completions" }).body).toMatchObject({
        max_tokens: 9,
      });
    }
  });

  test("Mistral's chat has another name for the seed, no options of streams, and ids of nine letters and digits", () => {
    const facts = { seedName: "random_seed", callIdLength: 9, rejects: ["stream_options", "user"] };
    const call = (id: string) => ({ id, type: "function", function: { name: "look", arguments: "{}" } });
    const result = (id: string) => ({ role: "tool", tool_call_id: id, content: "x" });
    const ids = ["D681PevKs", "call_24letters", "call_24letters"];
    const messages = [user("Hi"), ...ids.flatMap((id) => [{ role: "assistant", tool_calls: [call(id)] }, result(id)])];
    const given = ask({ messages, seed: 7, user: "ann", stream: true, stream_options: { include_usage: true } });
    const { body, losses } = send(given, { from: "chat-completions", to: "chat-completions", facts });
    expect([body.random_seed, body.seed, body.stream, body.stream_options]).toEqual([7, undefined, true, undefined]);
    expect(losses).toEqual(["dropped user"]);
    const calls: string[] = body.messages.flatMap(
      ({ tool_calls }: Json) => tool_calls?.map(({ id }: Json) => id) ?? [],
    );
    expect(calls[0]).toBe("D681PevKs");
    expect(new Set(calls).size).toBe(3);
    for (const id of calls) expect(id).toMatch(/^[A-Za-z0-9]{9}$/);
    expect(body.messages.flatMap(({ tool_call_id }: Json) => tool_call_id ?? [])).toEqual(calls);
  });

  test("Mistral's chat continues a last turn of the assistant only if it is marked", () => {
    const begun = { role: "assistant", content: "The answer is" };
    const sent = (messages: Json[]) =>
      send(askClaude({ messages }), { ...messagesToChat, facts: { prefixNeeded: true } }).body.messages;
    expect(sent([user("Hi"), begun])).toEqual([user("Hi"), { ...begun, prefix: true }]);
    expect(sent([user("Hi"), begun, user("Go")])).toEqual([user("Hi"), begun, user("Go")]);
  });

  test("Mistral's chat takes a PDF by an address, which may hold it", () => {
    const source = { type: "base64", media_type: "application/pdf", data: "JVBERg==" };
    const document = { type: "document", source, title: "a.pdf" };
    const call = { type: "tool_use", id: "toolu_1", name: "look", input: {} };
    const result = { type: "tool_result", tool_use_id: "toolu_1", content: [document] };
    const given = askClaude({ messages: [user([document]), { role: "assistant", content: [call] }, user([result])] });
    const { body, losses } = send(given, { ...messagesToChat, facts: { documentUrl: true } });
    const sent = [
      { type: "document_url", document_url: "data:application/pdf;base64,JVBERg==", document_name: "a.pdf" },
    ];
    expect([body.messages[0].content, body.messages[3].content, losses]).toEqual([sent, sent, []]);
  });

  test.each(["chat-completions", "responses"])("a model with JSON objects alone has the schema in words: %s", (to) => {
    const schema = { type: "object", properties: { a: { type: "integer" } } };
    const given = ask({
      messages: [{ role: "system", content: "Be brief." }, user("Hi")],
      response_format: { type: "json_schema", json_schema: { name: "out", description: "A count.", schema } },
    });
    const { body, losses } = send(given, { from: "chat-completions", to, facts: { jsonSchema: false } });
    expect([body.response_format ?? body.text.format, losses]).toEqual([
      { type: "json_object" },
      ["approximated response_format"],
    ]);
    const said = body.instructions ?? body.messages[1].content;
    expect(said).toEndWith(`It fits this JSON Schema:\n${JSON.stringify(schema)}`);
    expect(said).toContain("A count.\nAnswer with one JSON object");
  });

  test("quirk 18: what a model refuses is left out, with a warning", () => {
    const { body, losses } = send(ask({ temperature: 0.5, top_p: 0.9 }), {
      ...chatToMessages,
      facts: { rejects: ["temperature", "top_p"] },
    });
    expect([body.temperature, body.top_p]).toEqual([undefined, undefined]);
    expect(losses).toEqual(["dropped temperature", "dropped top_p"]);
  });

  test.each([
    ["thinkingConfig", "reasoning_effort"],
    ["maxOutputTokens", "max_tokens"],
    ["candidateCount", "n"],
    ["responseLogprobs", "logprobs"],
  ])("quirk 18: by the provider's name too: %s", (member, path) => {
    const body = ask({ reasoning_effort: "low", max_tokens: 500, n: 2, logprobs: true });
    const to = { from: "chat-completions", to: "generate-content" };
    const whole = send(body, { ...to, facts: { reasoning: "level" } });
    const sent = send(body, { ...to, facts: { reasoning: "level", rejects: [member] } });
    const { [member]: _, ...others } = whole.body.generationConfig;
    expect([sent.body.generationConfig, sent.losses]).toEqual([others, [`dropped ${path}`]]);
    expect(others).not.toEqual(whole.body.generationConfig);
  });

  test("quirk 19: without a limit, Anthropic gets the model's maximum", () => {
    expect(send(ask(), { ...chatToMessages, facts: { maxOutput: 64_000 } }).body.max_tokens).toBe(64_000);
    expect(send(ask(), chatToMessages).body.max_tokens).toBe(8192);
  });

  test.each([
    [
      "the budget stays below the limit",
      { reasoning_effort: "high", max_tokens: 2000 },
      { type: "enabled", budget_tokens: 1600 },
      [],
    ],
    ["at least 1,024", { reasoning_effort: "low", max_tokens: 2000 }, { type: "enabled", budget_tokens: 1024 }, []],
    [
      "and where there is no room, nothing",
      { reasoning_effort: "low", max_tokens: 1000 },
      undefined,
      ["approximated reasoning_effort"],
    ],
    [
      "off where a tool is forced",
      { reasoning_effort: "high", tools: [weather], tool_choice: "required" },
      { type: "disabled" },
      ["approximated reasoning_effort"],
    ],
    [
      "sampling is left out with it",
      { reasoning_effort: "low", temperature: 0.2, max_tokens: 9000 },
      { type: "enabled", budget_tokens: 1800 },
      ["dropped temperature"],
    ],
  ])("quirk 20: thinking of Anthropic: %s", (_name, members, thinking, losses) => {
    const sent = send(ask(members), chatToMessages);
    expect([sent.body.thinking, sent.losses]).toEqual([thinking, losses]);
  });

  test.each([
    ["with a budget", { type: "enabled", budget_tokens: 2000 }, {}, { type: "enabled", budget_tokens: 2000 }, []],
    ["without one", { type: "enabled" }, {}, { type: "enabled", budget_tokens: 4000 }, []],
    ["switched off", { type: "disabled" }, {}, { type: "disabled" }, []],
    [
      "beside OpenAI's effort, which counts",
      { type: "disabled" },
      { reasoning_effort: "medium" },
      { type: "enabled", budget_tokens: 2500 },
      ["dropped thinking"],
    ],
    ["of no known form", { type: "odd" }, {}, undefined, ["dropped thinking"]],
  ])("Anthropic's thinking in a chat request is read, %s", (_name, thinking, more, expected, losses) => {
    const sent = send(ask({ thinking, max_tokens: 5000, ...more }), chatToMessages);
    expect([sent.body.thinking, sent.losses]).toEqual([expected, losses]);
  });

  test("Anthropic's thinking in a chat request stays there in chat completions, and is an effort in Responses", () => {
    const thinking = { type: "enabled", budget_tokens: 2000 };
    const sent = (to: string) => send(ask({ thinking, max_tokens: 4000 }), { from: "chat-completions", to });
    const { body, losses } = sent("chat-completions");
    expect([body.thinking, body.reasoning_effort, losses]).toEqual([thinking, undefined, []]);
    expect([sent("responses").body.reasoning.effort, sent("responses").losses]).toEqual(["medium", []]);
  });

  test.each([
    ["nothing requested, nothing sent", {}, { mustThink: true }, undefined, []],
    [
      "none, where it must think, is its least",
      { reasoning_effort: "none" },
      { mustThink: true, efforts: ["minimal", "low"] as const },
      "minimal",
      ["approximated reasoning_effort"],
    ],
    [
      "a level that it lacks is the next below",
      { reasoning_effort: "xhigh" },
      { efforts: ["low", "medium", "high"] as const },
      "high",
      ["approximated reasoning_effort"],
    ],
    [
      "or else its lowest",
      { reasoning_effort: "minimal" },
      { efforts: ["low", "high"] as const },
      "low",
      ["approximated reasoning_effort"],
    ],
  ])("quirk 21: effort: %s", (_name, members, facts, effort, losses) => {
    const sent = send(ask(members), { from: "chat-completions", to: "responses", facts });
    expect([sent.body.reasoning?.effort, sent.losses]).toEqual([effort, losses]);
  });

  test("thinking between tools alone, which only Anthropic has, is no thinking elsewhere, with a warning", () => {
    const body = askClaude({ thinking: { type: "between_tools" } });
    const given = send(body, {
      from: "messages",
      to: "responses",
      facts: { reasoning: "effort", efforts: ["none", "low"] },
    });
    expect(given.body.reasoning).toEqual({ effort: "none" });
    expect(given.losses).toEqual(["approximated thinking"]);
  });

  test("the effort max reaches a model that has it, and is xhigh for others", () => {
    const way = { from: "messages", to: "responses" } as const;
    const body = askClaude({ output_config: { effort: "max" } });
    const has = send(body, { ...way, facts: { reasoning: "effort", efforts: ["low", "xhigh", "max"] } });
    expect([has.body.reasoning.effort, has.losses]).toEqual(["max", []]);
    const lacks = send(body, { ...way, facts: { reasoning: "effort", efforts: ["low", "xhigh"] } });
    expect([lacks.body.reasoning.effort, lacks.losses]).toEqual(["xhigh", ["approximated output_config.effort"]]);
  });

  test("quirk 24: a schema beside json_object, as Together has it, is a schema", () => {
    const schema = { type: "object", properties: { city: { type: "string" } } };
    const given = ask({ response_format: { type: "json_object", schema } });
    const to = (shape: string) => send(given, { from: "chat-completions", to: shape });
    expect([to("responses").body.text.format, to("responses").losses]).toEqual([
      { type: "json_schema", name: "answer", schema },
      [],
    ]);
    expect(to("generate-content").body.generationConfig.responseJsonSchema).toEqual(schema);
  });

  test("quirk 24: a schema is native where the model has it, else the input of a tool", () => {
    const schema = { type: "object", properties: { a: { type: "string" } }, additionalProperties: false };
    const members = { response_format: { type: "json_schema", json_schema: { name: "x", schema } } };
    expect(send(ask(members), { ...chatToMessages, facts: { jsonSchema: true } }).body.output_config).toEqual({
      format: { type: "json_schema", schema },
    });
    const byTool = send(ask(members), chatToMessages);
    expect(byTool.body).toMatchObject({
      tools: [{ name: "json_answer", input_schema: schema }],
      tool_choice: { type: "tool", name: "json_answer" },
    });
    const response = byTool.answer({
      content: [{ type: "tool_use", id: "t", name: "json_answer", input: { a: "b" } }],
      stop_reason: "tool_use",
      usage: {},
    });
    expect(response.choices[0]).toMatchObject({ finish_reason: "stop", message: { content: '{"a":"b"}' } });
    expect(response.choices[0].message.tool_calls).toBeUndefined();
    const chunks = byTool.stream([
      messageStart,
      ...block(
        0,
        { type: "tool_use", id: "t", name: "json_answer", input: {} },
        { type: "input_json_delta", partial_json: '{"a":' },
        { type: "input_json_delta", partial_json: '"b"}' },
      ),
      ...stopped("tool_use"),
    ]);
    expect(
      deltasOf(chunks)
        .map(({ content }) => content ?? "")
        .join(""),
    ).toBe('{"a":"b"}');
    expect(chunks.findLast(({ choices }) => choices?.[0]?.finish_reason).choices[0].finish_reason).toBe("stop");
  });

  test("quirk 20: between calls whose turn begins without a thought, a budget is left out; nothing else is", () => {
    const facts = { reasoning: "budget" } as const;
    const calls = { role: "assistant", tool_calls: [{ id: "c", type: "function", function: weather.function }] };
    const result = { role: "tool", tool_call_id: "c", content: "sun" };
    const sentFor = (messages: Json[]) =>
      send(ask({ messages, reasoning_effort: "low", max_tokens: 9_000 }), { ...chatToMessages, facts });
    const forgot = sentFor([user("Hi"), calls, result]);
    expect(forgot.body.thinking).toEqual({ type: "disabled" });
    expect(forgot.losses).toEqual(["approximated reasoning_effort"]);
    for (const messages of [
      [user("Hi"), calls, result, { role: "assistant", content: "Sun." }, user("And?")],
      [user("Hi"), { ...calls, thinking_blocks: [{ type: "thinking", thinking: "x", signature: "s" }] }, result],
    ]) {
      const { body, losses } = send(ask({ messages, reasoning_effort: "low", max_tokens: 9_000 }), {
        ...chatToMessages,
        facts,
        issuer: "anthropic",
      });
      expect([body.thinking.type, losses]).toEqual(["enabled", []]);
    }
  });

  test("quirk 25: a cache mark belongs to a part and is carried; one at the top is for the last part", () => {
    const mark = { type: "ephemeral", ttl: "1h" };
    const content = [
      { type: "text", text: "Long", cache_control: mark },
      { type: "text", text: "Go" },
    ];
    const { body } = send(
      ask({
        messages: [user(content)],
        tools: [{ ...weather, cache_control: mark }],
        cache_control: { type: "ephemeral" },
      }),
      chatToMessages,
    );
    expect(body.messages[0].content.map(({ cache_control }: Json) => cache_control)).toEqual([
      mark,
      { type: "ephemeral" },
    ]);
    expect(body.tools[0].cache_control).toEqual(mark);
  });

  test("quirk 26: no cache mark that was not requested", () => {
    expect(JSON.stringify(send(ask({ tools: [weather] }), chatToMessages).body)).not.toContain("cache_control");
  });
});

describe("usage", () => {
  const details = {
    prompt_tokens: 100,
    completion_tokens: 7,
    prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
  };

  test("quirk 29: Messages counts exclusively, OpenAI inclusively", () => {
    const chat = { choices: [{ message: { content: "Hi" }, finish_reason: "stop" }], usage: details };
    expect(send(askClaude(), messagesToChat).answer(chat).usage).toEqual({
      input_tokens: 30,
      cache_read_input_tokens: 60,
      cache_creation_input_tokens: 10,
      output_tokens: 7,
    });
    const claude = {
      content: [],
      usage: { input_tokens: 30, cache_read_input_tokens: 60, cache_creation_input_tokens: 10, output_tokens: 7 },
    };
    expect(send(ask(), chatToMessages).answer(claude).usage).toMatchObject({
      prompt_tokens: 100,
      completion_tokens: 7,
      total_tokens: 107,
      prompt_tokens_details: { cached_tokens: 60 },
    });
  });

  test("quirk 30: counts of message_delta replace those of message_start", () => {
    const events = [messageStart, ...stopped("end_turn", { input_tokens: 8, output_tokens: 9 })];
    const chunks = send(ask({ stream: true, stream_options: { include_usage: true } }), chatToMessages).stream(events);
    expect(chunks.at(-2).usage).toMatchObject({ prompt_tokens: 8, completion_tokens: 9 });
  });

  test.each([true, false])("quirk 31: a chunk of usage is sent exactly when it was requested: %p", (include_usage) => {
    const sent = send(ask({ stream: true, stream_options: { include_usage } }), chatToMessages);
    const chunks = sent.stream([messageStart, ...stopped("end_turn")]);
    const last = chunks.filter((chunk) => chunk !== "[DONE]");
    expect(last.filter(({ choices }) => choices.length === 0)).toHaveLength(include_usage ? 1 : 0);
    expect(
      last.slice(0, -1).every((chunk) => "usage" in chunk === include_usage && (chunk.usage ?? null) === null),
    ).toBe(true);
  });
});

describe("what a target refuses of settings", () => {
  test.each([
    [{ temperature: 0.5, top_p: 0.9 }, { temperature: 0.5 }, ["dropped top_p"]],
    [{ temperature: 1, top_p: 0.9 }, { top_p: 0.9 }, []],
    [{ temperature: 0.5, top_p: 1 }, { temperature: 0.5 }, []],
    [{ top_p: 0.9 }, { top_p: 0.9 }, []],
  ])("a model that takes temperature or top_p gets one of %p", (given, wanted, lost) => {
    const { body, losses } = send(ask(given), { ...chatToMessages, facts: { temperatureOrTopP: true } });
    const { temperature, top_p } = body;
    expect(JSON.parse(JSON.stringify({ temperature, top_p }))).toEqual(wanted);
    expect(losses).toEqual(lost);
  });

  test("a stop text of white space alone does not reach Messages", () => {
    const { body, losses } = send(ask({ stop: ["\n", "END", ""] }), chatToMessages);
    expect([body.stop_sequences, losses]).toEqual([["END"], ["approximated stop"]]);
    expect(send(ask({ stop: ["\n"] }), { from: "chat-completions", to: "converse" }).losses).toEqual([]);
  });

  test.each(["responses", "cohere-chat", "ollama-chat"])("an only turn without a text stays one: %s", (to) => {
    const { body } = send({ model: "m", messages: [{ role: "user", content: "" }] }, { from: "chat-completions", to });
    expect(body.input ?? body.messages).toEqual([{ role: "user", content: "" }]);
  });

  test("a text file without a name is not called a PDF", () => {
    const source = { type: "content", content: [{ type: "text", text: "chunk" }] };
    const body = askClaude({ messages: [user([{ type: "document", source }])] });
    expect(send(body, messagesToResponses).body.input[0].content[0].filename).toBe("file.txt");
  });

  test("a text file is text to chat completions, whose files are PDF", () => {
    const source = { type: "text", media_type: "text/plain", data: "chunk" };
    const body = askClaude({ messages: [user([{ type: "document", source, title: "a.txt" }])] });
    const sent = send(body, messagesToChat);
    expect(sent.body.messages[0].content).toBe('<file name="a.txt">\nchunk\n</file>');
    expect(sent.losses).toEqual([]);
  });
});
