import { createHash } from "node:crypto";
import { type Log, messageOf } from "../log.ts";
import type { Credential } from "../routing/credential.ts";
import type { RoutingTables } from "../routing/tables.ts";
import type { CredentialTest } from "../unified/test-credential.ts";

/** How often a provider's list is requested, and how soon again after a failure. */
const EVERY_MS = 6 * 3_600_000;
const RETRY_MS = 10 * 60_000;
const LOOK_MS = 30_000;
const CALLS_AT_ONCE = 4;
const MODELS_MAX = 10_000;

export interface ModelListsOptions {
  /** Undefined if the provider lists no models. Never rejects because of the provider. */
  readonly list: (credential: Credential) => Promise<CredentialTest | undefined>;
  /** @param models - undefined if the credential is gone. */
  readonly onListed: (credential: Credential, models: readonly string[] | undefined) => void;
  readonly log: Log;
  /** Milliseconds since 1970; default: the machine's clock. */
  readonly now?: () => number;
}

interface Entry {
  readonly credential: Credential;
  readonly fingerprint: string;
  /** Milliseconds since 1970. */
  dueAt: number;
  /** Why the last call failed, so that it is logged once. */
  failure: string | undefined;
}

/**
 * Requests each credential's list of models from its provider: when the credential is stored or changed, and every 6 hours.
 * A few at a time, because the gateway's thread has the secrets. If a request fails, the last list stays.
 */
export class ModelLists {
  readonly #options: ModelListsOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #asking = new Set<string>();
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #now: () => number;
  #closed = false;

  constructor(options: ModelListsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#timer = setInterval(() => this.look(), LOOK_MS);
    this.#timer.unref();
  }

  /** Credentials may have changed. */
  follow({ credentials }: RoutingTables): void {
    const usable = new Map(
      credentials.filter(({ enabled, secrets }) => enabled && secrets !== undefined).map((each) => [keyOf(each), each]),
    );
    for (const [key, { credential }] of this.#entries) {
      if (usable.has(key)) continue;
      this.#entries.delete(key);
      this.#options.onListed(credential, undefined);
    }
    for (const [key, credential] of usable) {
      const fingerprint = fingerprintOf(credential);
      if (this.#entries.get(key)?.fingerprint === fingerprint) continue;
      this.#entries.set(key, { credential, fingerprint, dueAt: 0, failure: undefined });
    }
    this.look();
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
  }

  /** Requests the lists that are due. */
  look(): void {
    const now = this.#now();
    for (const [key, entry] of this.#entries) {
      if (this.#closed || this.#asking.size >= CALLS_AT_ONCE) return;
      if (entry.dueAt > now || this.#asking.has(key)) continue;
      this.#asking.add(key);
      void this.#ask(key, entry);
    }
  }

  /** Not awaited: failures are logged. */
  async #ask(key: string, entry: Entry): Promise<void> {
    const { list, onListed } = this.#options;
    const { credential } = entry;
    let failure: string | undefined;
    try {
      const listed = await list(credential);
      if (this.#closed) return;
      if (listed?.ok === false) failure = listed.message;
      // Another key or address may have been stored meanwhile.
      else if (listed !== undefined && this.#entries.get(key) === entry)
        onListed(credential, listed.models.slice(0, MODELS_MAX));
    } catch (error) {
      failure = messageOf(error);
    }
    if (failure !== undefined && failure !== entry.failure) this.#warn(credential, failure);
    entry.failure = failure;
    entry.dueAt = this.#now() + (failure === undefined ? EVERY_MS : RETRY_MS);
    this.#asking.delete(key);
    this.look();
  }

  #warn({ name, provider }: Credential, why: string): void {
    this.#options.log.warn("a provider's models cannot be listed", { credential: name, provider, why });
  }
}

const keyOf = ({ organizationId, name }: Credential) => JSON.stringify([organizationId, name]);

/** Changes whenever the list might. Hashed, because it outlives the secrets. */
function fingerprintOf({ provider, secrets, settings, baseUrl, private: open, headers }: Credential): string {
  return createHash("sha256")
    .update(JSON.stringify([provider, secrets, settings, baseUrl, open, headers]))
    .digest("hex");
}
