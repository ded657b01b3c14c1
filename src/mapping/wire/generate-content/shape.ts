import type { Shape } from "../../../plugin-host/contract.ts";
import { EFFORT_TABLE, EFFORTS } from "../../translate/effort.ts";
import { OPENAI_ONLY } from "../openai-only.ts";
import { readAnswer } from "./answer.ts";
import { readError, writeError } from "./errors.ts";
import { readEvent } from "./read-events.ts";
import { writeRequest } from "./write-request.ts";

const budgets = Object.fromEntries(EFFORTS.map((effort) => [effort, EFFORT_TABLE[effort].geminiBudget])) as NonNullable<
  NonNullable<Shape["limits"]>["budgets"]
>;

/** Gemini's own API, on AI Studio and on Vertex. Its clients reach only targets with the same API. */
export const generateContentShape: Shape = {
  name: "generate-content",
  endpoint: /:(?:generateContent|streamGenerateContent|countTokens)$/,
  takes: {
    ...OPENAI_ONLY,
    laterSystem: "-",
    imageDetail: "D",
    formatDescription: "D",
    imageUrl: "F",
    fileUrl: "F",
    fileId: "R",
    strict: "D",
    choiceSearch: "A",
    resultImages: "-",
    resultFiles: "-",
    cacheMarks: "-",
    parallelCalls: "D",
    user: "D",
  },
  limits: {
    toolName: /^[A-Za-z0-9_-]{1,64}$/,
    stopTexts: 5,
    turnsAlternate: true,
    userFirst: "calls",
    resultNames: true,
    searchAlone: true,
    reasoning: "level",
    budgets,
  },
  writeRequest,
  readAnswer,
  readEvent,
  readError,
  writeError,
  writeStatus: (status) => (status === 529 ? 503 : status),
  writeCount: (tokens) => ({ totalTokens: tokens }),
};
