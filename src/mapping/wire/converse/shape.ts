import type { Shape } from "../../../plugin-host/contract.ts";
import { OPENAI_ONLY } from "../openai-only.ts";
import { readAnswer } from "./answer.ts";
import { readError } from "./errors.ts";
import { readEvent } from "./read-events.ts";
import { writeRequest } from "./write-request.ts";

/** Bedrock's converse, for all models without a shape of their own there. For providers only. */
export const converseShape: Shape = {
  name: "converse",
  takes: {
    ...OPENAI_ONLY,
    laterSystem: "-",
    imageDetail: "D",
    imageUrl: "F",
    fileUrl: "F",
    fileId: "R",
    audioIn: "R",
    search: "D",
    choiceSearch: "R",
    choiceNone: "A",
    allowedTools: "-",
    parallelCalls: "D",
    jsonObject: "A",
    imageOut: "D",
    seed: "D",
    presencePenalty: "D",
    frequencyPenalty: "D",
    n: "R",
    logprobs: "R",
    topLogprobs: "R",
    user: "D",
    modalities: "R",
  },
  limits: {
    toolName: /^[A-Za-z0-9_-]{1,64}$/,
    callId: /^[A-Za-z0-9_-]{1,64}$/,
    temperatureMax: 1,
    turnsAlternate: true,
    userFirst: "always",
    noEmptyText: true,
    callsNeedTools: true,
    noForcedThinking: true,
    thoughtsLead: true,
    schemaTool: true,
  },
  writeRequest,
  readAnswer,
  readEvent,
  readError,
};
