import type { Config } from "../../config.ts";
import type { ProviderPlugin } from "../../plugin-host/contract.ts";
import { ChoiceMemory } from "../../routing/choice-memory.ts";
import { callOf, originOf } from "../../routing/endpoint.ts";
import { KeptChoices } from "../../routing/order.ts";
import { Rests } from "../../routing/rests.ts";
import { Speeds } from "../../routing/speeds.ts";
import type { RoutingTables } from "../../routing/tables.ts";
import type { Upstream } from "../../runtime/http/upstream.ts";
import { Tokens } from "../../unified/auth/tokens.ts";
import { CallStates } from "../../unified/call-states.ts";
import type { FileFetcher } from "../../unified/fetch-files.ts";
import { ModelCatalog } from "../../unified/model-catalog.ts";
import { RejectedMembers } from "../../unified/rejected-member.ts";
import { TargetPrices } from "../../unified/target-prices.ts";
import { Translator } from "../../unified/translator.ts";
import { callWhole } from "../../unified/whole-call.ts";
import type { ProviderIndex } from "../target.ts";
import { providerNamed } from "./admission/provider-named.ts";
import { AttemptMetrics } from "./attempt-metrics.ts";
import type { Recorded } from "./targets/recorded.ts";
import { Ticks } from "./ticks.ts";

/** State that requests of the unified address share. */
export interface UnifiedParts {
  /** Credentials and routes; a new value whenever they change. */
  readonly tables: () => RoutingTables;
  readonly catalog: ModelCatalog;
  readonly choices: ChoiceMemory;
  readonly prices: TargetPrices;
  readonly speeds: Speeds;
  readonly kept: KeptChoices;
  readonly rests: Rests;
  readonly metrics: AttemptMetrics;
  readonly tokens: Tokens;
  readonly rejected: RejectedMembers;
  readonly callStates: CallStates;
  readonly translator: Translator;
  readonly ticks: Ticks;
  readonly recorded: Recorded;
  /** Fetches files by address; undefined if that is switched off. */
  readonly files: FileFetcher | undefined;
  /** Calls the private addresses of credentials marked as private. */
  readonly privateUpstream: Upstream;
  /** How long events before a stream's content are held back while another target is left. */
  readonly holdMs: number;
  /** How long a provider may pause in the middle of a response. */
  readonly stallMs: number;
}

interface UnifiedOptions extends Pick<UnifiedParts, "tables" | "privateUpstream" | "recorded" | "files"> {
  readonly config: Pick<Config, "prices" | "unified_hold_seconds" | "unified_stall_seconds">;
  readonly providers: () => ProviderIndex;
  readonly upstream: Upstream;
}

export function createUnifiedParts({
  config,
  tables,
  providers,
  upstream,
  privateUpstream,
  recorded,
  files,
}: UnifiedOptions): UnifiedParts {
  const metrics = new AttemptMetrics();
  return {
    metrics,
    tables,
    choices: new ChoiceMemory(),
    privateUpstream,
    recorded,
    files,
    catalog: new ModelCatalog(
      () => providers().providers,
      (name) => providerNamed(providers(), name),
    ),
    prices: new TargetPrices(config.prices, tables),
    holdMs: config.unified_hold_seconds * 1_000,
    stallMs: config.unified_stall_seconds * 1_000,
    speeds: new Speeds(),
    kept: new KeptChoices(),
    rests: new Rests((provider, model) => metrics.rested(provider, model)),
    tokens: new Tokens((request) => callWhole(upstream, request)),
    rejected: new RejectedMembers(),
    callStates: new CallStates(),
    translator: new Translator(),
    ticks: new Ticks(),
  };
}

/**
 * The hosts that private credentials open, only for their own calls. The list is rebuilt when the tables change.
 *
 * @returns a function for `TargetGuard`.
 */
export function privateHosts(tables: () => RoutingTables, providers: () => ProviderIndex): () => readonly string[] {
  let seen: RoutingTables | undefined;
  let hosts: readonly string[] = [];
  return () => {
    const current = tables();
    if (current === seen) return hosts;
    seen = current;
    hosts = current.credentials.flatMap((credential) => {
      const provider: ProviderPlugin | undefined = providerNamed(providers(), credential.provider);
      if (!credential.private || provider === undefined) return [];
      const origin = originOf(provider, credential, callOf(provider, credential, { model: "", stream: false }));
      return origin !== undefined && URL.canParse(origin) ? [new URL(origin).host] : [];
    });
    return hosts;
  };
}
