import type { Shape } from "../../../plugin-host/contract.ts";
import { readAnswer } from "./answer.ts";
import { readError } from "./errors.ts";
import { readEvent } from "./read-events.ts";
import { writeRequest } from "./write-request.ts";

/** Cohere's chat, version 2. For providers only. */
export const cohereChatShape: Shape = {
  name: "cohere-chat",
  takes: {
    participant: "D",
    formatDescription: "D",
    pdf: "R",
    fileUrl: "R",
    textFile: "-",
    fileId: "R",
    audioIn: "R",
    customTool: "-",
    namespace: "-",
    search: "D",
    choiceSearch: "R",
    choiceOne: "A",
    allowedTools: "-",
    resultError: "-",
    resultImages: "-",
    resultFiles: "-",
    cacheMarks: "-",
    parallelCalls: "D",
    imageOut: "D",
    logitBias: "D",
    n: "R",
    topLogprobs: "D",
    verbosity: "D",
    user: "D",
    cacheKey: "-",
    metadata: "D",
    store: "D",
    serviceTier: "D",
    prediction: "D",
    truncation: "D",
    include: "D",
    modalities: "R",
    audio: "R",
    conversation: "R",
    background: "R",
    storedPrompt: "R",
  },
  limits: { toolName: /^[A-Za-z0-9_-]{1,64}$/, stopTexts: 5, reasoning: "budget" },
  writeRequest,
  readAnswer,
  readEvent,
  readError,
};
