import type { Credential } from "../routing/credential.ts";
import { decrypt } from "./encryption.ts";
import type { Keyring } from "./keyring.ts";
import type { StoredCredential } from "./stored.ts";
import { usableTerms } from "./terms.ts";

/** A stored credential in the gateway's memory, with decrypted secrets; without secrets if no key decrypts them. */
export function openCredential(stored: StoredCredential, keys: Keyring): Credential {
  const { id, organization_id, name, provider, terms, created_at } = stored;
  const secrets: Record<string, string> = {};
  let locked = false;
  for (const [member, { sealed }] of Object.entries(stored.secrets)) {
    const secret = decrypt(sealed, keys, { organizationId: organization_id, credentialId: id, member });
    if (secret === undefined) locked = true;
    else secrets[member] = secret;
  }
  return {
    name,
    organizationId: organization_id,
    provider,
    secrets: locked ? undefined : secrets,
    ...usableTerms(terms),
    createdAt: created_at,
  };
}

/** Whether its secrets can all be decrypted. */
export function isLocked(stored: StoredCredential, keys: Keyring): boolean {
  return openCredential(stored, keys).secrets === undefined;
}
