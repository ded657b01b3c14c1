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

/** How long a key still decrypts after its removal from the file: re-encrypted secrets are read a little later. */
const LEAVING_MS = 2_000;

/** How often files with keys and secrets are polled: a change takes effect within a second. */
const LOOK_MS = 500;

interface VaultOptions {
  /** The first region's. */
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly providers: readonly ProviderPlugin[];
  readonly ownPorts: readonly number[];
  /** Called with the tables whenever they change. */
  readonly onChange: (tables: RoutingTables) => Promise<unknown>;
}

/**
 * Decrypts credentials for the gateway: stored ones with the keys of this node, and those of `weir.toml` from the variables
 * and files they refer to. Only the main thread and the other gateway threads hold secrets in the clear.
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
  /** Keys in use; with the time of their end if they are no longer in the file. */
  #ring: readonly { readonly key: Keyring[number]; readonly until?: number }[] = [];
  /** The stamps of all files at their last read. */
  #seen = "";
  /** The stamp of the key file alone, at its last read. */
  #keySeen = "";

  /** @throws GatewayError `config_invalid` if a table of `weir.toml`, a key, or what they refer to cannot be read. */
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

  /** Problems, one sentence each, without names: probes are public. */
  get degraded(): readonly string[] {
    const sentences = this.#keyError === undefined ? [] : [`credentials: ${this.#keyError}`];
    if (this.#locked.length === 0) return sentences;
    const secrets = this.#locked.flatMap(({ secrets }) => Object.values(secrets));
    const ids = [...new Set(secrets.map(({ sealed }) => keyIdOf(sealed) ?? "unknown"))].sort().join(", ");
    const count = this.#locked.length === 1 ? "1 is locked" : `${this.#locked.length} are locked`;
    return [...sentences, `credentials: ${count}, no key here opens them; they were encrypted with ${ids}`];
  }

  /** Ids of stored credentials that no key decrypts. */
  lockedIds(): readonly string[] {
    return this.#locked.map(({ id }) => id);
  }

  /** Resolves once every gateway thread uses them. */
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
        this.#options.log.warn("a credential of the configuration file cannot be read again", {
          why: messageOf(error),
        });
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
    // Later polls compare with the state read here: a key added since the last poll may be gone by the next one.
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

  /** The keys of the file, and those that have just been removed from it. */
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

/** Changes whenever one of the files is written, created or removed. */
function stampOf(files: readonly string[]): string {
  return files
    .map((path) => {
      const found = statSync(path, { throwIfNoEntry: false });
      return found === undefined ? "-" : `${found.ino} ${found.mtimeMs} ${found.size}`;
    })
    .join();
}
