import type { Config } from "../config.ts";
import type { Log } from "../log.ts";
import type { ExchangeInput, ExchangeReading } from "../mapping/read-exchange.ts";
import type { ProviderPlugin } from "../plugin-host/contract.ts";
import type { MappingsOfProviders } from "../store/bodies/body-text.ts";
import type { LearntTables } from "../store/models/learnt.ts";
import type { AnswerFeed } from "./answer-feed.ts";
import type { RecordHooks } from "./prepare/hooks.ts";

export interface RecorderOptions {
  readonly config: Config;
  readonly log: Log;
  readonly readExchange: (input: ExchangeInput) => ExchangeReading;
  /** The provider plugin of a name in capitals, or undefined. */
  readonly provider: (name: string) => ProviderPlugin | undefined;
  /** The mappings that providers have in their files. */
  readonly providerMappings?: MappingsOfProviders;
  readonly hooks?: RecordHooks;
  /** Shows what was recorded to plugins in the gateway's thread. */
  readonly answers?: AnswerFeed;
  readonly learnt?: LearntTables;
  /** `bodyKey` of this run's spool writer. */
  readonly bodyKey?: Uint8Array;
  /** `spool` in the data directory unless told otherwise. */
  readonly spoolDirectory?: string;
  /** Whether this run of the service has had its database open before: then one that is missing is waited for, not made. */
  readonly databaseWasThere?: boolean;
  /** How the recorder before this one ended, where this process has seen it. */
  readonly ended?: string;
}
