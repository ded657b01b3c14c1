import { GatewayError } from "../errors.ts";
import { parseJson } from "../mapping/json.ts";
import type { EndpointCall, ProviderPlugin } from "../plugin-host/contract.ts";
import type { Credential } from "../routing/credential.ts";
import { callOf, endpointOf, modelListOf, shapesFor } from "../routing/endpoint.ts";
import { UpstreamError } from "../runtime/http/upstream.ts";
import { authorize } from "./auth/authorize.ts";
import { Tokens } from "./auth/tokens.ts";
import type { WholeRequest, WholeResponse } from "./whole-call.ts";

/** The result of testing a credential at its provider. It contains no part of the credential. */
export interface CredentialTest {
  readonly ok: boolean;
  /** The tested operation; null if there is none. */
  readonly asked: "models" | "token count" | null;
  /** The provider's status; null without a response. */
  readonly status: number | null;
  /** For display: the response, or the error. */
  readonly message: string;
  /** Names of models that the credential has, sorted. */
  readonly models: readonly string[];
}

const TIMEOUT_MS = 15_000;
const BYTES_MAX = 16 * 1_024 * 1_024;
const MESSAGE_MAX = 500;

/** Requests whose tokens are counted: one short word. */
const COUNTED: Readonly<Record<string, (model: string) => unknown>> = {
  messages: (model) => ({ model, messages: [{ role: "user", content: "a" }] }),
  "generate-content": () => ({ contents: [{ role: "user", parts: [{ text: "a" }] }] }),
  converse: () => ({ input: { converse: { messages: [{ role: "user", content: [{ text: "a" }] }] } } }),
};

/**
 * Fetches the provider's models with this credential, or counts one word's tokens if the provider has no list. Never
 * rejects.
 *
 * @param call - calls the provider; forbidden addresses stay forbidden.
 * @param model - for providers without a list of models.
 */
export async function testCredential(
  {
    provider,
    credential,
    model,
  }: { readonly provider: ProviderPlugin; readonly credential: Credential; readonly model: string | undefined },
  call: (request: WholeRequest) => Promise<WholeResponse>,
): Promise<CredentialTest> {
  const failed = (message: string): CredentialTest => {
    return { ok: false, asked: null, status: null, message, models: [] };
  };
  if (credential.secrets === undefined) return failed("it is locked: no key of this node decrypts its secrets");
  const question = questionOf(provider, credential, model ?? nameIn(credential));
  if (typeof question === "string") return failed(question);
  const { url, asked, body, shape, endpointCall } = question;
  try {
    const paid = await authorize(new Tokens(call), {
      provider,
      call: endpointCall,
      secrets: credential.secrets,
      shape,
      method: body === undefined ? "GET" : "POST",
      url: url.href,
      contentType: "application/json",
      body: body ?? new Uint8Array(0),
    });
    const response = await call({
      method: body === undefined ? "GET" : "POST",
      url,
      headers: {
        Accept: "application/json",
        "User-Agent": "weir",
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...provider.headers,
        ...credential.headers,
        ...paid,
      },
      ...(body !== undefined && { body }),
      bytesMax: BYTES_MAX,
      timeoutMs: TIMEOUT_MS,
    });
    return { ...readResult(provider, response, asked, Object.values(credential.secrets)), asked };
  } catch (error) {
    if (error instanceof GatewayError || error instanceof UpstreamError) return { ...failed(error.message), asked };
    throw error;
  }
}

interface Question {
  readonly url: URL;
  readonly asked: "models" | "token count";
  readonly shape: string;
  readonly endpointCall: EndpointCall;
  readonly body: Uint8Array | undefined;
}

/** The test request, or why there is none. */
function questionOf(provider: ProviderPlugin, credential: Credential, model: string | undefined): Question | string {
  const listing = modelListOf(provider, credential);
  if (listing !== undefined) {
    const endpointCall = callOf(provider, credential, { model: "", stream: false });
    const url = new URL(listing.origin + listing.path);
    return { url, asked: "models", shape: "", endpointCall, body: undefined };
  }
  if (model === undefined) return `${provider.name} lists no models: name one to count a word's tokens with`;
  const endpointCall = callOf(provider, credential, { model, stream: false });
  for (const at of shapesFor(provider, endpointCall)) {
    const shape = typeof at.shape === "string" ? at.shape : at.shape.name;
    if (at.countPath === undefined || !Object.hasOwn(COUNTED, shape)) continue;
    const endpoint = endpointOf(provider, { shape: at.shape, path: at.countPath }, credential, endpointCall);
    if (endpoint === undefined) continue;
    const body = Buffer.from(JSON.stringify(COUNTED[shape]!(model)));
    return { url: new URL(endpoint.origin + endpoint.path), asked: "token count", shape, endpointCall, body };
  }
  return `${provider.name} neither lists its models nor counts tokens: send a request to see whether it works`;
}

/** A model that the credential names itself. */
function nameIn({ models, modelMap }: Credential): string | undefined {
  return Object.values(modelMap)[0] ?? models.find((pattern) => !/[*!]/.test(pattern));
}

function readResult(
  provider: ProviderPlugin,
  { status, body }: WholeResponse,
  asked: Question["asked"],
  secrets: readonly string[],
): Omit<CredentialTest, "asked"> {
  const response = parseJson(Buffer.from(body).toString("utf8"));
  if (status < 200 || status > 299) return { ok: false, status, message: said(response, status, secrets), models: [] };
  if (asked === "token count") return { ok: true, status, message: "it counts tokens", models: [] };
  let names: readonly unknown[] = [];
  try {
    names = provider.listModels?.read(response) ?? [];
  } catch {
    // The provider plugin's reader failed: treated as no list.
  }
  const models = names.filter((name) => typeof name === "string").sort();
  const message =
    models.length === 0 ? "it responds, but without a list of models" : `it lists ${models.length} models`;
  return { ok: true, status, message, models };
}

/** The provider's own message, which may repeat a key. */
function said(response: ReturnType<typeof parseJson>, status: number, secrets: readonly string[]): string {
  const found: unknown = response?.error?.message ?? response?.message ?? response?.error ?? response?.detail;
  const text = typeof found === "string" ? found.slice(0, MESSAGE_MAX) : "";
  const masked = secrets.reduce((all, secret) => all.replaceAll(secret, "***"), text).replace(/\S*\*{3,}\S*/g, "***");
  return `the provider responds with ${status}${masked === "" ? "" : `: ${masked}`}`;
}
