import type { Config } from "../config.ts";

/** Start options of each thread. */
export interface ThreadOptions {
  /** The configuration of the thread's region. */
  readonly config: Config;
  /** The region whose database holds keys, domains, limits and prices, if it is another one. */
  readonly home?: Config;
  /** For the API: secrets of identity providers from environment variables, by the provider's name. */
  readonly ssoSecrets?: Readonly<Record<string, string>>;
  /** For the recorder: the key that encrypts omitted bodies in the spool of this run. */
  readonly bodyKey?: Uint8Array;
  /** For a restarted recorder: a missing database was moved away, and is not created again. */
  readonly databaseWasThere?: boolean;
  /** For a restarted recorder: how the previous one ended. */
  readonly ended?: string;
}
