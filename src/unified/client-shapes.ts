/** Shapes of clients whose model decides where a request goes. */
export const CLIENT_SHAPES = [
  ...(["chat-completions", "responses", "messages"] as const),
  ...(["generate-content", "completions", "embeddings"] as const),
] as const;
export type ClientShape = (typeof CLIENT_SHAPES)[number];
