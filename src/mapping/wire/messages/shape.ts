import type { Shape } from "../../../plugin-host/contract.ts";
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
    laterSystem: "-",
    imageDetail: "D",
    participant: "D",
    formatDescription: "D",
    fileId: "R",
    audioIn: "R",
    customTool: "-",
    namespace: "-",
    allowedTools: "-",
    jsonObject: "A",
    seed: "D",
    presencePenalty: "D",
    frequencyPenalty: "D",
    logitBias: "D",
    n: "R",
    logprobs: "R",
    topLogprobs: "R",
    verbosity: "D",
    cacheKey: "-",
    metadata: "D",
    store: "D",
    serviceTier: "D",
    prediction: "D",
    truncation: "D",
    include: "D",
    modalities: "R",
    audio: "R",
    imageOut: "D",
    conversation: "R",
    background: "R",
    storedPrompt: "R",
  },
  limits: {
    toolName: /^[A-Za-z0-9_-]{1,128}$/,
    callId: /^[A-Za-z0-9_-]{1,64}$/,
    temperatureMax: 1,
    turnsAlternate: true,
    noEmptyText: true,
    maxTokensRequired: true,
    reasoning: "budget",
    noForcedThinking: true,
    thoughtsLead: true,
    notWhileThinking: ["temperature", "topK"],
    schemaTool: true,
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
