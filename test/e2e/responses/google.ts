import type { Json } from "../../../src/plugin-host/contract.ts";
import { SENTENCE, TOOL_ARGUMENTS, WORDS } from "./openai.ts";
import type { ScriptedResponse } from "./response.ts";

/** What the record holds for this: prompt 25, completion 14 + 6 = 20. */
const GEMINI_USAGE = {
  promptTokenCount: 25,
  candidatesTokenCount: 14,
  thoughtsTokenCount: 6,
  totalTokenCount: 45,
  cachedContentTokenCount: 9,
  promptTokensDetails: [{ modality: "TEXT", tokenCount: 25 }],
};

/** `/v1beta/models/<model>:generateContent` and `:streamGenerateContent`, as SSE with CRLF or as one JSON array. */
export function generateContent(body: Json, path: string): ScriptedResponse {
  const [, model = "", verb = ""] = /models\/([^:]+):(\w+)/.exec(path) ?? [];
  const tool = body.tools?.[0]?.functionDeclarations?.[0]?.name;
  const response = (parts: Json[], more: Json = {}) => ({
    candidates: [{ content: { parts, role: "model" }, index: 0, ...more }],
    modelVersion: `${model}-001`,
    responseId: "gemini-1",
  });
  const last = { finishReason: "STOP" };
  const call = { functionCall: { name: tool, args: TOOL_ARGUMENTS } };
  if (verb === "generateContent")
    return { json: { ...response([tool ? call : { text: SENTENCE }], last), usageMetadata: GEMINI_USAGE } };

  const running = { promptTokenCount: 25, totalTokenCount: 25 };
  const parts: Json[] = tool ? [call] : WORDS.map((text) => ({ text }));
  const chunks = parts.map((part, index) =>
    index === parts.length - 1
      ? { ...response([part], last), usageMetadata: GEMINI_USAGE }
      : { ...response([part]), usageMetadata: running },
  );
  if (path.includes("alt=sse")) return { events: chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`) };
  return { json: chunks };
}
