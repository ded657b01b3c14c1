import { statSync } from "node:fs";
import type { Config } from "../config.ts";
import {
  type ConfiguredCredential,
  configuredCredentials,
  filesOf,
  resolveConfigured,
} from "../credentials/configured.ts";
import { keyIdOf } from "../credentials/encryption.ts";
import { knownProviders } from "../credentials/form.ts";
import { type Keyring, madeKeyPath, readKeyring } from "../credentials/keyring.ts";
import { openCredential } from "../credentials/open.ts";
import type { StoredCredential } from "../credentials/stored.ts";
import { type Log, messageOf } from "../log.ts";
import type { ProviderPlugin } from "../plugin-host/contract.ts";
import { configuredRoutes } from "../routing/configured-routes.ts";
import type { Credential } from "../routing/credential.ts";
import type { Route } from "../routing/route.ts";
import { NO_TABLES, type RoutingTables, type StoredRouting } from "../routing/tables.ts";
import { credentialGuards } from "../store/credentials/guards.ts";

/** How long a key that has left its file still opens secrets: those that were encrypted again are not read at once. */
const LEAVING_MS = 2_000;

/** How often files with keys and secrets are looked at: a change counts within a second. */
const LOOK_MS = 500;

interface VaultOptions {
  /** Of the first region. */
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly providers: readonly ProviderPlugin[];
  readonly ownPorts: readonly number[];
  /** Told the tables whenever they have changed. */
  readonly onChange: (tables: RoutingTables) => Promise<unknown>;
}

/**
 * Opens credentials for the gateway: those of the database with the keys of this node, those of `weir.toml` with what
 * they point at. Secrets in the clear are here, in the main thread, and in the other gateway threads, and nowhere else.
 */
export class Vault {
  readonly #options: VaultOptions;
  readonly #configured: readonly ConfiguredCredential[];
  readonly #routesOfFile: readonly Route[];
  readonly #files: readonly string[];
  readonly #timer: ReturnType<typeof setInterval>;
  #stored: readonly StoredCredential[] = [];
  #fromFile: readonly Credential[] = [];
  #storedRoutes: readonly Route[] = [];
  #prices: RoutingTables["prices"] = [];
  #tables = NO_TABLES;
  #locked: readonly StoredCredential[] = [];
  #keyError: string | undefined;
  /** Keys in use; with the time of leaving where they are in the file no more. */
  #ring: readonly { readonly key: Keyring[number]; readonly until?: number }[] = [];
  #seen = "";
  /** The same of the file of keys alone, when it was read last. */
  #keySeen = "";

  /** @throws GatewayError `config_invalid` where a table of `weir.toml`, a key, or what they point at cannot be read. */
  constructor(options: VaultOptions) {
    const { config, providers, ownPorts, env } = options;
    this.#options = options;
    const rules = { providers: knownProviders(providers), refuseUrl: credentialGuards(config, ownPorts) };
    this.#configured = configuredCredentials(config, rules);
    this.#routesOfFile = configuredRoutes(config);
    this.#files = [config.credentials_key_file || madeKeyPath(config), ...filesOf(this.#configured)];
    this.#fromFile = this.#configured.map((each) => resolveConfigured(each, env));
    readKeyring(config);
    this.#seen = stampOf(this.#files);
    this.#build();
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    this.#timer.unref();
  }

  get tables(): RoutingTables {
    return this.#tables;
  }

  /** What is wrong, a sentence each, without names: a probe shows it to anyone. */
  get degraded(): readonly string[] {
    const sentences = this.#keyError === undefined ? [] : [`credentials: ${this.#keyError}`];
    if (this.#locked.length === 0) return sentences;
    const secrets = this.#locked.flatMap(({ secrets }) => Object.values(secrets));
    const ids = [...new Set(secrets.map(({ sealed }) => keyIdOf(sealed) ?? "unknown"))].sort().join(", ");
    const count = this.#locked.length === 1 ? "1 is locked" : `${this.#locked.length} are locked`;
    return [...sentences, `credentials: ${count}, no key here opens them; they were encrypted with ${ids}`];
  }

  /** Ids of stored credentials that no key opens. */
  lockedIds(): readonly string[] {
    return this.#locked.map(({ id }) => id);
  }

  /** Resolves once every gateway thread goes by them. */
  setCredentials(stored: readonly StoredCredential[]): Promise<void> {
    this.#stored = stored;
    return this.#changed();
  }

  /** Replaces the routes and prices of the database. Resolves as `setCredentials` does. */
  setRouting({ routes, prices }: StoredRouting): Promise<void> {
    this.#storedRoutes = routes;
    this.#prices = prices;
    return this.#changed();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const seen = stampOf(this.#files);
    const hasLeft = this.#ring.some(({ until = Number.POSITIVE_INFINITY }) => until <= Date.now());
    if (!hasLeft && seen === this.#seen && stampOf(this.#files.slice(0, 1)) === this.#keySeen) return;
    this.#seen = seen;
    // A secret whose file is being replaced keeps its last value.
    this.#fromFile = this.#configured.map((each, at) => {
      try {
        return resolveConfigured(each, this.#options.env);
      } catch (error) {
        this.#options.log.warn("a credential of weir.toml cannot be read again", { why: messageOf(error) });
        return this.#fromFile[at]!;
      }
    });
    void this.#changed();
  }

  async #changed(): Promise<void> {
    this.#build();
    await this.#options.onChange(this.#tables);
  }

  #build(): void {
    // What is read now is what a later look compares with: a key that was made since the last one may be gone by then.
    this.#keySeen = stampOf(this.#files.slice(0, 1));
    const keys = this.#opening();
    const opened = this.#stored.map((each) => openCredential(each, keys));
    this.#locked = this.#stored.filter((_, at) => opened[at]!.secrets === undefined);
    this.#tables = {
      credentials: [...this.#fromFile, ...opened],
      routes: [...this.#routesOfFile, ...this.#storedRoutes],
      prices: this.#prices,
    };
  }

  /** The keys of the file, and those that have just left it. */
  #opening(): Keyring {
    const now = Date.now();
    const keys = this.#keys();
    const left = this.#ring
      .filter(({ key }) => !keys.some(({ id }) => id === key.id))
      .map(({ key, until = now + LEAVING_MS }) => ({ key, until }))
      .filter(({ until }) => until > now);
    this.#ring = [...keys.map((key) => ({ key })), ...left];
    return this.#ring.map(({ key }) => key);
  }

  #keys(): Keyring {
    try {
      const keys = readKeyring(this.#options.config);
      this.#keyError = undefined;
      return keys;
    } catch (error) {
      this.#keyError = messageOf(error);
      return [];
    }
  }
}

/** Differs whenever one of the files was written, made or removed. */
function stampOf(files: readonly string[]): string {
  return files
    .map((path) => {
      const found = statSync(path, { throwIfNoEntry: false });
      return found === undefined ? "-" : `${found.ino} ${found.mtimeMs} ${found.size}`;
    })
    .join();
}
