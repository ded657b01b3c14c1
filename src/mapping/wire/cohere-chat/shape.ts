import type { Shape } from "../../../plugin-host/contract.ts";
import { OPENAI_ONLY } from "../openai-only.ts";
import { readAnswer } from "./answer.ts";
import { readError } from "./errors.ts";
import { readEvent } from "./read-events.ts";
import { writeRequest } from "./write-request.ts";

/** Cohere's chat, version 2. For providers only. */
export const cohereChatShape: Shape = {
  name: "cohere-chat",
  takes: {
    ...OPENAI_ONLY,
    formatDescription: "D",
    pdf: "R",
    fileUrl: "R",
    textFile: "-",
    fileId: "R",
    audioIn: "R",
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
    n: "R",
    topLogprobs: "D",
    user: "D",
    modalities: "R",
  },
  limits: { toolName: /^[A-Za-z0-9_-]{1,64}$/, stopTexts: 5, reasoning: "budget" },
  writeRequest,
  readAnswer,
  readEvent,
  readError,
};
