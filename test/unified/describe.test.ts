import { describe as about, expect, test } from "bun:test";
import { roughTokens } from "../../src/unified/count-estimate.ts";
import { describe } from "../../src/unified/describe.ts";

const tokens = (body: object) => describe(JSON.stringify(body))!.inputTokens;
const chat = (...content: object[]) => tokens({ model: "m", messages: [{ role: "user", content }] });
const messages = chat;
const responses = (...content: object[]) => tokens({ model: "m", input: [{ role: "user", content }] });
const google = (...parts: object[]) => tokens({ contents: [{ role: "user", parts }] });

const PICTURE = "A".repeat(2_000_000);
const pdf = (pages: number) => Buffer.alloc(pages * 50_000, 1).toString("base64");
const WORDS = "word ".repeat(800);

about("estimated input", () => {
  test("counts the texts of a conversation, not its JSON", () => {
    const content = [{ type: "text", text: WORDS }];
    const plain = tokens({ model: "m".repeat(400), messages: [{ role: "user", content: WORDS }] });
    expect(plain).toBe(1_000 + 4);
    expect(chat({ type: "text", text: WORDS })).toBe(1_004);
    expect(tokens({ system: content, messages: [{ role: "user", content }] })).toBe(2_004);
    expect(tokens({ instructions: WORDS, input: WORDS })).toBe(2_000);
    expect(google({ text: WORDS })).toBe(1_004);
    const settings = { metadata: { note: WORDS }, user: WORDS, prompt_cache_key: WORDS };
    expect(tokens({ messages: [{ role: "user", content: WORDS }], ...settings })).toBe(1_004);
  });

  test("counts tools, arguments of calls and results, whatever the names in them", () => {
    const tools = [{ name: "look", description: WORDS, input_schema: { type: "object", properties: {} } }];
    expect(tokens({ tools, messages: [] })).toBe(Math.ceil(JSON.stringify(tools).length / 4));
    const call = { type: "tool_use", id: "toolu_1", name: "look", input: { data: WORDS, id: WORDS } };
    expect(messages(call)).toBeGreaterThan(2_000);
    expect(messages({ type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: WORDS }] })).toBe(
      1_004,
    );
    expect(tokens({ input: [{ type: "function_call_output", call_id: "c", output: WORDS }] })).toBe(1_000);
    expect(google({ functionResponse: { id: "1", name: "look", response: { output: WORDS } } })).toBeGreaterThan(1_000);
  });

  test("does not count signatures and encrypted state", () => {
    expect(messages({ type: "thinking", thinking: WORDS, signature: PICTURE })).toBe(1_004);
    expect(messages({ type: "redacted_thinking", data: PICTURE })).toBe(4);
    expect(tokens({ input: [{ type: "reasoning", summary: [], encrypted_content: PICTURE }] })).toBe(0);
    expect(google({ text: WORDS, thoughtSignature: PICTURE })).toBe(1_004);
  });

  test.each([
    ["chat", chat({ type: "image_url", image_url: { url: `data:image/png;base64,${PICTURE}` } })],
    ["chat, by address", chat({ type: "image_url", image_url: { url: "https://a.test/a.png" } })],
    ["chat, a recording", chat({ type: "input_audio", input_audio: { data: PICTURE, format: "wav" } })],
    ["messages", messages({ type: "image", source: { type: "base64", media_type: "image/png", data: PICTURE } })],
    ["messages, by address", messages({ type: "image", source: { type: "url", url: "https://a.test/a.png" } })],
    ["responses", responses({ type: "input_image", image_url: `data:image/png;base64,${PICTURE}` })],
    ["responses, by id", responses({ type: "input_image", file_id: "" })],
    ["generate-content", google({ inlineData: { mimeType: "image/png", data: PICTURE } })],
  ])("a picture or recording counts as 1,600 tokens: %s", (_name, counted) => {
    expect(counted).toBe(1_604);
  });

  test("so does a picture that the model made", () => {
    expect(tokens({ input: [{ type: "image_generation_call", id: "ig_1", result: PICTURE }] })).toBe(1_600);
  });

  test("so does a picture within a tool's result", () => {
    const picture = { type: "image", source: { type: "base64", media_type: "image/png", data: PICTURE } };
    expect(messages({ type: "tool_result", tool_use_id: "toolu_1", content: [picture] })).toBe(1_604);
  });

  test.each([
    ["chat", chat({ type: "file", file: { file_data: `data:application/pdf;base64,${pdf(3)}` } })],
    [
      "messages",
      messages({ type: "document", source: { type: "base64", media_type: "application/pdf", data: pdf(3) } }),
    ],
    ["responses", responses({ type: "input_file", file_data: `data:application/pdf;base64,${pdf(3)}` })],
    ["generate-content", google({ inlineData: { mimeType: "application/pdf", data: pdf(3) } })],
  ])("another file counts as 1,600 tokens per started 50 kB: %s", (_name, counted) => {
    // The address has a few bytes of its own.
    expect([3 * 1_600 + 4, 4 * 1_600 + 4]).toContain(counted);
  });

  test("a file of unknown size counts as 1,600 tokens, a text file as text", () => {
    expect(messages({ type: "document", source: { type: "url", url: "https://a.test/a.pdf" } })).toBe(1_604);
    expect(chat({ type: "file", file: { file_id: "" } })).toBe(1_604);
    expect(messages({ type: "document", source: { type: "text", media_type: "text/plain", data: WORDS } })).toBe(1_004);
    const content = [{ type: "text", text: WORDS }];
    expect(messages({ type: "document", source: { type: "content", content } })).toBe(1_004);
    const data = Buffer.from(WORDS).toString("base64");
    expect(messages({ type: "document", source: { type: "base64", media_type: "text/csv", data } })).toBe(1_005);
  });

  test("Cohere's documents count as the JSON that the model reads, also in the result of a tool", () => {
    const data = { title: "t", text: WORDS };
    const ofData = Math.ceil(JSON.stringify(data).length / 4);
    expect(tokens({ documents: [{ id: "d".repeat(400), data }] })).toBe(ofData);
    expect(tokens({ documents: [WORDS] })).toBe(1_000);
    expect(messages({ type: "document", document: { id: "d".repeat(400), data } })).toBe(4 + ofData);
  });

  test("tokens as input of embeddings count as such", () => {
    expect(tokens({ input: [[1, 2, 3], [4]] })).toBe(4);
  });

  test("holds for a count without a tokenizer, and for any depth", () => {
    const picture = { type: "image_url", image_url: { url: `data:image/png;base64,${PICTURE}` } };
    expect(roughTokens(JSON.stringify({ messages: [{ role: "user", content: [picture] }] }))).toBe(1_604);
    const deep = `{"messages":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    expect(describe(deep)?.inputTokens ?? 0).toBeGreaterThanOrEqual(0);
    expect(describe(`{"tools":${"[".repeat(100_000)}${"]".repeat(100_000)}}`)?.needs ?? []).toBeArray();
  });
});
