import { AwsV4Signer } from "aws4fetch";
import type { EndpointCall, ProviderPlugin } from "../../plugin-host/contract.ts";
import type { Soon } from "../../runtime/pending.ts";
import { azureToken } from "./azure.ts";
import { googleToken } from "./google.ts";
import type { Tokens } from "./tokens.ts";

/** A request that needs a credential. */
interface Payable {
  readonly provider: ProviderPlugin;
  readonly call: EndpointCall;
  /** Secret members by name; a client's own key is the provider's `api_key`. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The shape of the body. */
  readonly shape: string;
  readonly method: string;
  readonly url: string;
  readonly contentType: string;
  readonly body: Uint8Array;
}

/**
 * The headers that carry a credential, if they are the same for every request.
 *
 * @param shape - platforms that carry another vendor's API may require that vendor's header.
 * @returns undefined if they differ per request.
 */
export function steadyHeaders(
  { auth = "bearer" }: ProviderPlugin,
  secrets: Payable["secrets"],
  shape: string,
): Readonly<Record<string, string>> | undefined {
  const key = secrets["api_key"];
  if (typeof auth === "function") return undefined;
  if (typeof auth === "object") return key === undefined ? {} : { [auth.header]: key };
  switch (auth) {
    case "none":
      return {};
    case "bearer":
      return bearer(key);
    case "x-api-key":
      return key === undefined ? {} : { "x-api-key": key };
    case "google":
      if (secrets["service_account"] !== undefined) return undefined;
      if (key === undefined) return {};
      // Vertex in express mode, and Google's OpenAI-compatible endpoint.
      return shape === "chat-completions" ? bearer(key) : { "x-goog-api-key": key };
    case "azure":
      if (secrets["client_secret"] !== undefined) return undefined;
      return key === undefined ? {} : { [shape === "messages" ? "x-api-key" : "api-key"]: key };
    case "sigv4":
      return key === undefined ? undefined : bearer(key);
  }
}

/**
 * The headers that carry a credential. Create them last, because some sign the whole request.
 *
 * @throws GatewayError `credential_rejected` if a token is needed and refused.
 */
export function authorize(tokens: Tokens, payable: Payable): Soon<Readonly<Record<string, string>>> {
  const { provider, call, secrets, shape } = payable;
  const steady = steadyHeaders(provider, secrets, shape);
  if (steady !== undefined) return steady;
  const { auth } = provider;
  if (typeof auth === "function") return auth(call, secrets);
  if (auth === "google") return googleToken(tokens, secrets["service_account"]!).then(bearer);
  if (auth === "azure") return azureToken(tokens, secrets["client_secret"]!, call.settings).then(bearer);
  return signed(payable);
}

const bearer = (key: string | undefined): Readonly<Record<string, string>> =>
  key === undefined ? {} : { Authorization: `Bearer ${key}` };

/** AWS Signature, version 4, for Bedrock. */
async function signed({ secrets, call, method, url, contentType, body }: Payable) {
  const { access_key_id = "", secret_access_key = "", session_token } = secrets;
  const signer = new AwsV4Signer({
    method,
    url,
    headers: { "content-type": contentType },
    body: body as unknown as BodyInit,
    accessKeyId: access_key_id,
    secretAccessKey: secret_access_key,
    ...(session_token !== undefined && { sessionToken: session_token }),
    service: "bedrock",
    region: call.settings["region"] ?? "us-east-1",
  });
  const { headers } = await signer.sign();
  const kept = ["authorization", "x-amz-date", "x-amz-security-token", "x-amz-content-sha256"];
  return Object.fromEntries([...headers].filter(([name]) => kept.includes(name)));
}
