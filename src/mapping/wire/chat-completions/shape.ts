import type { Shape } from "../../../plugin-host/contract.ts";
import { OPENAI_EFFORTS } from "../../translate/effort.ts";
import { readError, writeError, writeStatus } from "../openai-errors.ts";
import { RESPONSES_ONLY } from "../openai-only.ts";
import { readAnswer, writeAnswer } from "./answer.ts";
import { readEvent } from "./read-events.ts";
import { readRequest } from "./read-request.ts";
import { keepAlive, writeEvents } from "./write-events.ts";
import { writeRequest } from "./write-request.ts";

/** OpenAI chat completions, for clients and for providers. */
export const chatCompletionsShape: Shape = {
  name: "chat-completions",
  endpoint: /\/chat\/completions$/,
  takes: {
    ...RESPONSES_ONLY,
    topK: "D",
    laterSystem: "=",
    fileUrl: "F",
    // Its `file` is a PDF: OpenAI refuses other types.
    textFile: "-",
    customTool: "-",
    choiceSearch: "A",
    namespace: "-",
    allowedTools: "-",
    resultError: "-",
    resultImages: "-",
    resultFiles: "-",
    fileId: "R",
    cacheMarks: "-",
  },
  limits: {
    toolName: /^[A-Za-z0-9_-]{1,64}$/,
    callId: /^[\x21-\x7e]{1,40}$/,
    stopTexts: 4,
    efforts: OPENAI_EFFORTS,
    searchMember: "web_search_options",
    schemaText: true,
  },
  writeRequest,
  readAnswer,
  readEvent,
  readError,
  readRequest,
  writeAnswer,
  writeEvents,
  writeError,
  writeStatus,
  keepAlive,
};
