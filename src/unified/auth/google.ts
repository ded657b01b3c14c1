import { importPKCS8, SignJWT } from "jose";
import { GatewayError } from "../../errors.ts";
import { parseJson } from "../../mapping/json.ts";
import type { Tokens } from "./tokens.ts";

const TOKEN_URI = "https://oauth2.googleapis.com/token";
const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/**
 * An access token of a service account, for a JWT signed with its key.
 *
 * Source: Google's page "Using OAuth 2.0 for server to server applications".
 *
 * @param account - the JSON of the account's key file.
 * @throws GatewayError `credential_rejected`.
 */
export async function googleToken(tokens: Tokens, account: string): Promise<string> {
  const { client_email, private_key, private_key_id, token_uri = TOKEN_URI } = parseJson(account) ?? {};
  if (typeof client_email !== "string" || typeof private_key !== "string" || !URL.canParse(token_uri))
    throw new GatewayError("credential_rejected", "the service account is not the JSON of a key file");
  return tokens.get(JSON.stringify([client_email, private_key_id, token_uri]), new URL(token_uri), async () => {
    const key = await importPKCS8(private_key, "RS256").catch((cause: unknown) => {
      throw new GatewayError("credential_rejected", "the service account's private key cannot be read", { cause });
    });
    const assertion = await new SignJWT({ scope: SCOPE })
      .setProtectedHeader({
        alg: "RS256",
        typ: "JWT",
        ...(typeof private_key_id === "string" && { kid: private_key_id }),
      })
      .setIssuer(client_email)
      .setAudience(token_uri)
      .setIssuedAt()
      .setExpirationTime("1h")
      .sign(key);
    return { grant_type: GRANT, assertion };
  });
}
