import { generateKeyPairSync } from "node:crypto";
import type { State } from "../../../../src/plugin-host/contract.ts";
import type { Credential } from "../../../../src/routing/credential.ts";
import { type Api, signature } from "./apis/api.ts";
import { chatApi } from "./apis/chat.ts";
import { cohereApi } from "./apis/cohere.ts";
import { converseApi } from "./apis/converse.ts";
import { generateContentApi } from "./apis/generate-content.ts";
import { messagesApi } from "./apis/messages.ts";
import { ollamaApi } from "./apis/ollama.ts";
import { responsesApi } from "./apis/responses.ts";

/** A provider, with the paths that it serves. */
export interface Outbound {
  readonly what: string;
  readonly provider: string;
  readonly model: string;
  readonly apis: readonly (readonly [path: RegExp, Api])[];
  readonly credential?: (origin: string) => Partial<Credential>;
  /** Who signs its thoughts; without one they have no state. */
  readonly maker?: string;
  /** Its calls are signed, its thoughts are not. */
  readonly signsCalls?: true;
  /** Shapes of clients that pass unchanged. */
  readonly same: readonly string[];
  /** How the credential arrives. */
  readonly paid: readonly [header: string, value: RegExp];
  /** Scenes that it cannot play: what the refusal says, with the path of the member in the client's body. */
  readonly refuses?: Readonly<Record<string, RegExp>>;
}

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const account = (origin: string): string =>
  JSON.stringify({
    type: "service_account",
    project_id: "p-1",
    client_email: "weir@p-1.iam.gserviceaccount.com",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
    token_uri: `${origin}/token`,
  });
const vertex = (origin: string): Partial<Credential> => ({
  secrets: { service_account: account(origin) },
  settings: { location: "europe-west4" },
});
const bearer = (provider: string): readonly [string, RegExp] => [
  "authorization",
  new RegExp(`^Bearer secret-of-${provider}$`),
];

export const OUTBOUNDS: readonly Outbound[] = [
  {
    what: "chat-completions",
    provider: "TOGETHER",
    model: "llama-test",
    apis: [[/^\/v1\/chat\/completions$/, chatApi]],
    same: ["chat-completions"],
    paid: bearer("together"),
  },
  {
    what: "responses",
    provider: "CUSTOM",
    model: "any-test",
    apis: [[/^\/v1\/responses$/, responsesApi]],
    credential: () => ({ settings: { shape: "responses" } }),
    maker: "openai",
    same: ["responses"],
    paid: bearer("custom"),
  },
  {
    what: "OpenAI",
    provider: "OPENAI",
    model: "gpt-5.5",
    apis: [
      [/^\/v1\/responses$/, responsesApi],
      [/^\/v1\/chat\/completions$/, chatApi],
    ],
    maker: "openai",
    same: ["chat-completions", "responses"],
    paid: bearer("openai"),
  },
  {
    what: "messages, Anthropic",
    provider: "ANTHROPIC",
    model: "claude-sonnet-4-5",
    apis: [[/^\/v1\/messages(?:\?beta=true)?$/, messagesApi("anthropic")]],
    maker: "anthropic",
    same: ["messages"],
    paid: ["x-api-key", /^secret-of-anthropic$/],
  },
  {
    what: "messages, a newer Claude",
    provider: "ANTHROPIC",
    model: "claude-opus-5",
    apis: [[/^\/v1\/messages(?:\?beta=true)?$/, messagesApi("anthropic")]],
    maker: "anthropic",
    same: ["messages"],
    paid: ["x-api-key", /^secret-of-anthropic$/],
  },
  {
    what: "messages, Vertex",
    provider: "GOOGLE",
    model: "claude-sonnet-4-5@20250929",
    apis: [
      [
        /^\/v1\/projects\/p-1\/locations\/europe-west4\/publishers\/anthropic\/models\/claude-sonnet-4-5@20250929:(?:rawPredict|streamRawPredict)(?:\?beta=true)?$/,
        messagesApi("vertex"),
      ],
    ],
    credential: vertex,
    maker: "anthropic",
    same: ["messages"],
    paid: ["authorization", /^Bearer token-of-google$/],
  },
  {
    what: "messages, Bedrock",
    provider: "AWS",
    model: "eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
    apis: [
      [
        /^\/model\/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0\/invoke(?:-with-response-stream)?(?:\?beta=true)?$/,
        messagesApi("bedrock"),
      ],
    ],
    credential: () => ({
      settings: { region: "eu-central-1" },
      secrets: { access_key_id: "AKIDTEST", secret_access_key: "secret-of-aws" },
    }),
    maker: "anthropic",
    same: ["messages"],
    paid: ["authorization", /^AWS4-HMAC-SHA256 Credential=AKIDTEST\/\d{8}\/eu-central-1\/bedrock\/aws4_request/],
  },
  {
    what: "generate-content, AI Studio",
    provider: "GOOGLE",
    model: "gemini-3-flash",
    apis: [
      [/^\/v1beta\/models\/gemini-3-flash:(?:generateContent|streamGenerateContent\?alt=sse)$/, generateContentApi],
    ],
    maker: "google",
    signsCalls: true,
    same: ["generate-content"],
    paid: ["x-goog-api-key", /^secret-of-google$/],
  },
  {
    what: "generate-content, Vertex",
    provider: "GOOGLE",
    model: "gemini-3-flash",
    apis: [
      [
        /^\/v1\/projects\/p-1\/locations\/europe-west4\/publishers\/google\/models\/gemini-3-flash:(?:generateContent|streamGenerateContent\?alt=sse)$/,
        generateContentApi,
      ],
    ],
    credential: vertex,
    maker: "google",
    signsCalls: true,
    same: ["generate-content"],
    paid: ["authorization", /^Bearer token-of-google$/],
  },
  {
    what: "converse",
    provider: "AWS",
    model: "amazon.nova-2-lite-v1:0",
    apis: [[/^\/model\/amazon.nova-2-lite-v1%3A0\/converse(?:-stream)?$/, converseApi]],
    credential: () => ({ settings: { region: "eu-central-1" } }),
    maker: "aws",
    same: [],
    paid: bearer("aws"),
  },
  {
    what: "Azure",
    provider: "AZURE",
    model: "gpt-4.1",
    apis: [
      [/^\/openai\/v1\/responses$/, responsesApi],
      [/^\/openai\/v1\/chat\/completions$/, chatApi],
    ],
    credential: (endpoint) => ({ settings: { endpoint } }),
    same: ["chat-completions", "responses"],
    paid: ["api-key", /^secret-of-azure$/],
  },
  {
    what: "Azure by deployments",
    provider: "AZURE",
    model: "gpt-4.1",
    apis: [
      [/^\/openai\/responses\?api-version=2025-04-01-preview$/, responsesApi],
      [/^\/openai\/deployments\/my-deployment\/chat\/completions\?api-version=2025-04-01-preview$/, chatApi],
    ],
    credential: (endpoint) => ({
      settings: { endpoint, api_version: "2025-04-01-preview" },
      modelMap: { "gpt-4.1": "my-deployment" },
    }),
    same: ["chat-completions", "responses"],
    paid: ["api-key", /^secret-of-azure$/],
  },
  {
    what: "Cohere",
    provider: "COHERE",
    model: "command-a-reasoning-08-2025",
    apis: [[/^\/v2\/chat$/, cohereApi]],
    same: [],
    paid: bearer("cohere"),
    refuses: {
      "an image": /(?:messages|input)\[\d\]\.content\[\d\]: the model accepts no image/,
      "a file": /(?:messages|input)\[\d\]\.content\[\d\]: the model accepts no file/,
    },
  },
  {
    what: "Ollama",
    provider: "OLLAMA",
    model: "qwen3",
    apis: [[/^\/api\/chat$/, ollamaApi]],
    same: [],
    paid: bearer("ollama"),
    refuses: { "a file": /(?:messages|input)\[\d\]\.content\[\d\]: the target cannot take it/ },
  },
];

/** State of a thought, as its maker gives it. */
export const stateOf =
  ({ maker, signsCalls }: Outbound) =>
  (of: string): State | undefined =>
    maker === undefined || signsCalls === true
      ? undefined
      : { issuer: maker, kind: maker === "openai" ? "encrypted" : "signature", value: signature(maker, of) };

export const callStateOf = ({ maker, signsCalls }: Outbound): State | undefined =>
  maker !== undefined && signsCalls === true
    ? { issuer: maker, kind: "signature", value: signature(maker, "call") }
    : undefined;
