import type { Shape } from "../../../plugin-host/contract.ts";
import { OPENAI_EFFORTS } from "../../translate/effort.ts";
import { readError, writeError, writeStatus } from "../openai-errors.ts";
import { readAnswer, writeAnswer } from "./answer.ts";
import { readEvent } from "./read-events.ts";
import { readRequest } from "./read-request.ts";
import { keepAlive, writeEvents } from "./write-events.ts";
import { writeRequest } from "./write-request.ts";

/** OpenAI's responses, for clients and for providers. */
export const responsesShape: Shape = {
  name: "responses",
  endpoint: /\/responses(?:\/input_tokens)?$/,
  takes: {
    participant: "D",
    fileId: "R",
    audioIn: "R",
    resultError: "-",
    cacheMarks: "-",
    topK: "D",
    stop: "D",
    seed: "D",
    presencePenalty: "D",
    frequencyPenalty: "D",
    logitBias: "D",
    n: "R",
    prediction: "D",
    modalities: "R",
    audio: "R",
  },
  limits: {
    toolName: /^[A-Za-z0-9_-]{1,64}$/,
    callId: /^[\x21-\x7e]{1,64}$/,
    reasoning: "effort",
    maxTokensLeast: 16,
    searchMember: "web_search",
    schemaText: true,
    efforts: OPENAI_EFFORTS,
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
  writeCount: (tokens) => ({ object: "response.input_tokens", input_tokens: tokens }),
  keepAlive,
};
