import type { WireSchemaName } from "../../plugin-host/contract.ts";
import type { WireSchema } from "../wire-schema.ts";
import { chatCompletions } from "./chat-completions/schema.ts";
import { cohereChat, cohereGenerate } from "./cohere-chat/schema.ts";
import { completions } from "./completions/schema.ts";
import { converse } from "./converse/schema.ts";
import { embeddings } from "./embeddings/schema.ts";
import { generateContent } from "./generate-content/schema.ts";
import { interactions } from "./interactions.ts";
import { moderations, rerank } from "./judgements.ts";
import { logged } from "./logged.ts";
import { images, speech, transcriptions } from "./media.ts";
import { messages } from "./messages/schema.ts";
import { ollamaChat, ollamaGenerate } from "./ollama-chat/schema.ts";
import { responses } from "./responses/schema.ts";
import { textGeneration } from "./text-generation.ts";

/** All wire formats, in the order in which they are compared for an unknown target. */
export const WIRE_SCHEMAS: Readonly<Record<WireSchemaName, WireSchema>> = {
  "chat-completions": chatCompletions,
  responses,
  messages,
  "generate-content": generateContent,
  completions,
  embeddings,
  images,
  speech,
  transcriptions,
  moderations,
  rerank,
  interactions,
  converse,
  "cohere-chat": cohereChat,
  "cohere-generate": cohereGenerate,
  "ollama-chat": ollamaChat,
  "ollama-generate": ollamaGenerate,
  "text-generation": textGeneration,
  logged,
};
