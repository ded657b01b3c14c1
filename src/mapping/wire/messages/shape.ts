import type { Shape } from "../../../plugin-host/contract.ts";
import { OPENAI_ONLY } from "../openai-only.ts";
import { readAnswer, writeAnswer } from "./answer.ts";
import { readError, writeError } from "./errors.ts";
import { readEvent } from "./read-events.ts";
import { readRequest } from "./read-request.ts";
import { keepAlive, writeEvents } from "./write-events.ts";
import { writeRequest } from "./write-request.ts";

/** Anthropic's messages, for clients and for providers. */
export const messagesShape: Shape = {
  name: "messages",
  endpoint: /\/messages(?:\/count_tokens)?$/,
  takes: {
    ...OPENAI_ONLY,
    laterSystem: "-",
    imageDetail: "D",
    formatDescription: "D",
    fileId: "R",
    audioIn: "R",
    allowedTools: "-",
    jsonObject: "A",
    seed: "D",
    presencePenalty: "D",
    frequencyPenalty: "D",
    n: "R",
    logprobs: "R",
    topLogprobs: "R",
    modalities: "R",
    imageOut: "D",
  },
  limits: {
    toolName: /^[A-Za-z0-9_-]{1,128}$/,
    callId: /^[A-Za-z0-9_-]{1,64}$/,
    noBlankStop: true,
    temperatureMax: 1,
    turnsAlternate: true,
    noEmptyText: true,
    maxTokensRequired: true,
    reasoning: "budget",
    noForcedThinking: true,
    thoughtsLead: true,
    notWhileThinking: ["temperature", "topK"],
    schemaTool: true,
    searchMember: "web_search",
  },
  writeRequest,
  readAnswer,
  readEvent,
  readError,
  readRequest,
  writeAnswer,
  writeEvents,
  writeError,
  writeCount: (tokens) => ({ input_tokens: tokens }),
  keepAlive,
};
