/** The client shapes that are routed by model. */
export const CLIENT_SHAPES = [
  ...(["chat-completions", "responses", "messages"] as const),
  ...(["generate-content", "completions", "embeddings"] as const),
] as const;
export type ClientShape = (typeof CLIENT_SHAPES)[number];
