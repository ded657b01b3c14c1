import type { Shape } from "../../plugin-host/contract.ts";

type Takes = NonNullable<Shape["takes"]>;

/** What only OpenAI's responses have: the row of every other shape. */
export const RESPONSES_ONLY = {
  truncation: "D",
  include: "D",
  conversation: "R",
  background: "R",
  storedPrompt: "R",
} as const satisfies Takes;

/** What only OpenAI's APIs have: the rows of shapes of others. */
export const OPENAI_ONLY = {
  ...RESPONSES_ONLY,
  participant: "D",
  customTool: "-",
  namespace: "-",
  logitBias: "D",
  verbosity: "D",
  cacheKey: "-",
  metadata: "D",
  store: "D",
  serviceTier: "D",
  prediction: "D",
  audio: "R",
} as const satisfies Takes;
