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
  /** The first region's configuration. */
  readonly config: Config;
  readonly reader: Store;
  readonly writer: () => Promise<Store>;
}

/** What all endpoints work with; one per API listener. */
export interface ApiContext {
  readonly config: Config;
  readonly log: Log;
  /** For reading; its queries fail with `database_unavailable` while the database is unavailable. */
  readonly reader: Store;
  /** Records of the same database. */
  readonly engine: EngineReader;
  /** For reading this region's settings right after a write: never a replica. */
  readonly current: Store;
  /** For settings, tags and mappings; the recorder writes records. Opened on first use. */
  readonly writer: () => Promise<Store>;
  /** The database of the first region, with keys, organizations and prices. Never a replica. */
  readonly home: HomeStore;
  /** Ports of this program's listeners that are fixed in the configuration. */
  readonly ownPorts: readonly number[];
  readonly recorder: Remote<RecorderFunctions>;
  readonly gateway: Remote<GatewayFunctions>;
  readonly jobs: Remote<JobFunctions>;
  /** Lets the gateway serve requests whose connections are in this thread. */
  readonly passedOn: PassedOn;
  readonly keys: KeyWatch;
  /** Stored credentials and routes, published to the gateway whenever they change. */
  readonly credentials: Pick<Followed<unknown>, "spread" | "error">;
  readonly routes: Pick<Followed<unknown>, "spread" | "error">;
  readonly logins: Logins;
  readonly sso: Sso;
  readonly signer: Signer;
  readonly metrics: ApiMetrics;
}
