import { hash } from "node:crypto";
import { GatewayError } from "../../errors.ts";
import type { Tokens } from "./tokens.ts";

const AUTHORITY = "https://login.microsoftonline.com";
const SCOPE = "https://cognitiveservices.azure.com/.default";

/**
 * An access token of a tenant's application. Source: Microsoft's page on the client credentials flow.
 *
 * @throws GatewayError `credential_rejected`.
 */
export async function azureToken(
  tokens: Tokens,
  secret: string,
  settings: Readonly<Record<string, string>>,
): Promise<string> {
  const { tenant_id, client_id, authority = AUTHORITY } = settings;
  if (tenant_id === undefined || client_id === undefined)
    throw new GatewayError("credential_rejected", "a credential with client_secret needs tenant_id and client_id");
  const url = new URL(`${encodeURIComponent(tenant_id)}/oauth2/v2.0/token`, `${authority.replace(/\/+$/, "")}/`);
  const key = JSON.stringify([url.href, client_id, hash("sha256", secret, "hex")]);
  return tokens.get(key, url, async () => ({
    grant_type: "client_credentials",
    client_id,
    client_secret: secret,
    scope: SCOPE,
  }));
}
