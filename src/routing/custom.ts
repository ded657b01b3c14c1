import type { ProviderPlugin } from "../plugin-host/contract.ts";

/**
 * A self-hosted server, as in credentials of the provider `CUSTOM`: an address and its shape. In
 * pass-through the same name means a target that no provider claims, so it is not among the loaded ones.
 */
export const CUSTOM: ProviderPlugin = {
  apiVersion: 1,
  name: "CUSTOM",
  credential: {
    secret: ["api_key"],
    oneOf: [["api_key"], []],
    settings: {
      shape: {
        type: "string",
        enum: ["chat-completions", "responses", "messages", "generate-content", "cohere-chat", "ollama-chat"],
        default: "chat-completions",
      },
    },
    baseUrl: "required",
  },
  shapes: [
    ...(["chat-completions", "responses", "messages"] as const).map((shape) => ({
      shape,
      serves: ({ settings }: { readonly settings: Readonly<Record<string, string>> }) => settings["shape"] === shape,
    })),
    {
      shape: "generate-content",
      serves: ({ settings }) => settings["shape"] === "generate-content",
      path: ({ model, stream }) =>
        `/v1beta/models/${encodeURIComponent(model)}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    },
    { shape: "cohere-chat", serves: ({ settings }) => settings["shape"] === "cohere-chat", path: () => "/v2/chat" },
    { shape: "ollama-chat", serves: ({ settings }) => settings["shape"] === "ollama-chat", path: () => "/api/chat" },
    { shape: "embeddings" },
  ],
  auth: "bearer",
  listModels: {
    path: "/models",
    read: (body) => (Array.isArray(body?.data) ? body.data.map((model: { id?: unknown } | null) => model?.id) : []),
  },
};
