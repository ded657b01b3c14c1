import type { Config } from "../config.ts";
import type { Log } from "../log.ts";
import type { ExchangeInput, ExchangeReading } from "../mapping/read-exchange.ts";
import type { ProviderPlugin } from "../plugin-host/contract.ts";
import type { MappingsOfProviders } from "../store/bodies/body-text.ts";
import type { LearntTables } from "../store/models/learnt.ts";
import type { RecordHooks } from "./prepare/hooks.ts";
import type { ResponseFeed } from "./response-feed.ts";

export interface RecorderOptions {
  readonly config: Config;
  readonly log: Log;
  readonly readExchange: (input: ExchangeInput) => ExchangeReading;
  /** The provider plugin with an upper-case name, or undefined. */
  readonly provider: (name: string) => ProviderPlugin | undefined;
  /** The mappings in the providers' files. */
  readonly providerMappings?: MappingsOfProviders;
  readonly hooks?: RecordHooks;
  /** Shows recorded responses to plugins in the gateway's thread. */
  readonly responses?: ResponseFeed;
  readonly learnt?: LearntTables;
  /** `bodyKey` of this run's spool writer. */
  readonly bodyKey?: Uint8Array;
  /** Default: `spool` in the data directory. */
  readonly spoolDirectory?: string;
  /** Whether this run of the service has had its database open before: a missing database is then awaited, not created. */
  readonly databaseWasThere?: boolean;
  /** How the previous recorder ended, if this process saw it. */
  readonly ended?: string;
}
