import type { Config } from "../config.ts";

/** What each thread is started with. */
export interface ThreadOptions {
  /** Of the thread's region. */
  readonly config: Config;
  /** The region whose database holds keys, domains, limits and prices, if it is another one. */
  readonly home?: Config;
  /** For the API: secrets of identity providers that stand in variables, by the provider's name. */
  readonly ssoSecrets?: Readonly<Record<string, string>>;
  /** For the recorder: what omitted bodies are encrypted with in the spool of this run. */
  readonly bodyKey?: Uint8Array;
  /** For a recorder that is started again: a database that is missing was moved away, and is not made again. */
  readonly databaseWasThere?: boolean;
  /** For a recorder that is started again: how the one before it ended. */
  readonly ended?: string;
}
