import type { Shape } from "../../../plugin-host/contract.ts";
import { OPENAI_ONLY } from "../openai-only.ts";
import { readAnswer, readError, readEvent } from "./answer.ts";
import { writeRequest } from "./write-request.ts";

/** Ollama's own chat. For providers only. */
export const ollamaChatShape: Shape = {
  name: "ollama-chat",
  takes: {
    ...OPENAI_ONLY,
    imageDetail: "D",
    formatDescription: "D",
    imageUrl: "F",
    pdf: "R",
    fileUrl: "R",
    textFile: "-",
    fileId: "R",
    audioIn: "R",
    strict: "D",
    search: "D",
    choiceSearch: "R",
    choiceNone: "A",
    choiceAny: "A",
    choiceOne: "A",
    allowedTools: "-",
    resultError: "-",
    resultImages: "-",
    resultFiles: "-",
    cacheMarks: "-",
    parallelCalls: "D",
    imageOut: "D",
    n: "R",
    logprobs: "R",
    topLogprobs: "R",
    user: "D",
    modalities: "R",
  },
  limits: { toolName: /^[A-Za-z0-9_-]{1,64}$/, resultNames: true, reasoning: "effort" },
  writeRequest,
  readAnswer,
  readEvent,
  readError,
};
