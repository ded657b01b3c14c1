import type { Config } from "../config.ts";
import type { EngineReader } from "../engine/reader.ts";
import type { Log } from "../log.ts";
import type { PassedOn } from "../runtime/http/pass-on.ts";
import type { Remote } from "../runtime/rpc.ts";
import type { Store } from "../store/store.ts";
import type { GatewayFunctions, JobFunctions, RecorderFunctions } from "../threads.ts";
import type { Followed } from "./access/followed.ts";
import type { KeyWatch } from "./access/key-watch.ts";
import type { Signer } from "./access/signer.ts";
import type { Logins } from "./logins/logins.ts";
import type { Sso } from "./logins/sso/sso.ts";
import type { ApiMetrics } from "./operation/metrics.ts";

interface HomeStore {
  /** Of the first region. */
  readonly config: Config;
  readonly reader: Store;
  readonly writer: () => Promise<Store>;
}

/** What all endpoints work with; one per API listener. */
export interface ApiContext {
  readonly config: Config;
  readonly log: Log;
  /** For reading; its queries fail with `database_unavailable` while the database is away. */
  readonly reader: Store;
  /** Records of the same database. */
  readonly engine: EngineReader;
  /** For reading settings of this region that may just have been written: never a replica. */
  readonly current: Store;
  /** For settings, tags and mappings: records are written by the recorder. Opened when first asked for. */
  readonly writer: () => Promise<Store>;
  /** Where keys, organizations and prices stand: the database of the first region. Never a replica. */
  readonly home: HomeStore;
  /** Ports of this program's listeners, as far as they are fixed. */
  readonly ownPorts: readonly number[];
  readonly recorder: Remote<RecorderFunctions>;
  readonly gateway: Remote<GatewayFunctions>;
  readonly jobs: Remote<JobFunctions>;
  /** Has the gateway serve requests whose connections are here. */
  readonly passedOn: PassedOn;
  readonly keys: KeyWatch;
  /** What the database has of both, told to the gateway whenever it changes. */
  readonly credentials: Pick<Followed<unknown>, "spread" | "error">;
  readonly routes: Pick<Followed<unknown>, "spread" | "error">;
  readonly logins: Logins;
  readonly sso: Sso;
  readonly signer: Signer;
  readonly metrics: ApiMetrics;
}
