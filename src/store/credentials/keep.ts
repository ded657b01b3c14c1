import type { Config } from "../../config.ts";
import { decrypt, type EncryptionKey, encrypt } from "../../credentials/encryption.ts";
import { ensureKeyring, readKeyring } from "../../credentials/keyring.ts";
import type { CredentialOrder } from "../../credentials/read-credential.ts";
import type { StoredCredential, StoredSecret } from "../../credentials/stored.ts";
import { GatewayError } from "../../errors.ts";
import type { Acting } from "../../people/actor.ts";
import { uuidv7 } from "../../runtime/uuid.ts";
import { type Database, localPath } from "../store.ts";
import { addCredential, changeCredential, listCredentials } from "./credentials.ts";

/** The last characters of a shorter secret would reveal too much of it. */
const LAST4_LENGTH_MIN = 12;
const NAMES_TRIED_MAX = 1_000;

/**
 * Stores a credential, or replaces `previous`, with its secrets encrypted.
 *
 * @param config - of the first region, whose data directory holds the key that Weir generates.
 * @throws GatewayError `duplicate_name`, `credentials_key_missing`, `invalid_body`.
 */
export async function keepCredential(
  { config, records, by }: { readonly config: Config; readonly records: Database; readonly by: Acting },
  organizationId: string,
  { name, provider, terms, secrets }: CredentialOrder,
  previous?: StoredCredential,
): Promise<StoredCredential> {
  const id = previous?.id ?? uuidv7();
  const own = previous === undefined ? await listCredentials(records, organizationId) : [];
  const given = Object.entries(secrets).filter((entry): entry is [string, string] => entry[1] !== null);
  const key = given.length === 0 ? undefined : ensureKeyring(config, localPath(config) === undefined)[0];
  const kept = Object.entries(previous?.secrets ?? {}).filter(([member]) => secrets[member] === undefined);
  const set = given.map(([member, secret]) => {
    return [member, sealed(secret, key!, { organizationId, credentialId: id, member })] as const;
  });
  const all = Object.fromEntries([...kept, ...set]);
  if (previous !== undefined) return changeCredential(records, previous, { secrets: all, terms }, by);
  const now = Date.now();
  const credential: StoredCredential = {
    id,
    organization_id: organizationId,
    name: name ?? freeName(provider.toLowerCase().replaceAll("_", "-"), own),
    provider,
    secrets: all,
    terms,
    created_at: now,
    updated_at: now,
  };
  await addCredential(records, credential, by);
  return credential;
}

/** `openai`, or `openai-2` if that is taken, and so on. */
function freeName(provider: string, own: readonly StoredCredential[]): string {
  const taken = new Set(own.map(({ name }) => name));
  for (let number = 2, name = provider; number < NAMES_TRIED_MAX; name = `${provider}-${number++}`) {
    if (!taken.has(name)) return name;
  }
  throw new GatewayError("invalid_body", "give it a name", { path: "name" });
}

function sealed(secret: string, key: EncryptionKey, place: Parameters<typeof encrypt>[2]): StoredSecret {
  const isPlain = secret.length >= LAST4_LENGTH_MIN && !secret.startsWith("{");
  return { sealed: encrypt(secret, key, place), set_at: Date.now(), last4: isPlain ? secret.slice(-4) : null };
}

/** Result of re-encrypting the secrets of all organizations. */
interface Rotation {
  /** Credentials now encrypted with the first key. */
  readonly rotated: number;
  /** Credentials that already were. */
  readonly kept: number;
  /** `<provider> <name>` of credentials that no key decrypts; they are left unchanged. */
  readonly locked: readonly string[];
}

/**
 * Re-encrypts with the first key every secret that another key encrypted. Can be run at any time, also beside a running
 * service.
 *
 * @throws GatewayError `credentials_key_missing` when there is no key.
 */
export async function rotateCredentials(config: Config, records: Database, by: Acting): Promise<Rotation> {
  const keys = readKeyring(config);
  const [first] = keys;
  if (first === undefined) throw new GatewayError("credentials_key_missing", "there is no key to rotate to");
  let rotated = 0;
  let kept = 0;
  const locked: string[] = [];
  for (const credential of await listCredentials(records)) {
    const { id, organization_id, secrets, terms, provider, name } = credential;
    const opened = Object.entries(secrets).map(([member, secret]) => {
      const place = { organizationId: organization_id, credentialId: id, member };
      const text = decrypt(secret.sealed, keys, place);
      const isCurrent = decrypt(secret.sealed, [first], place) !== undefined;
      return { member, secret, text, isCurrent, place };
    });
    if (opened.some(({ text }) => text === undefined)) locked.push(`${provider} ${name}`);
    else if (opened.every(({ isCurrent }) => isCurrent)) kept++;
    else {
      const again = opened.map(({ member, secret, text, place }) => {
        return [member, { ...secret, sealed: encrypt(text!, first, place) }] as const;
      });
      await changeCredential(records, credential, { secrets: Object.fromEntries(again), terms }, by);
      rotated++;
    }
  }
  return { rotated, kept, locked };
}
