import type { Config } from "../config.ts";
import { GatewayError } from "../errors.ts";
import { type Log, messageOf } from "../observe.ts";
import { listen } from "../runtime/listen.ts";
import type { Remote } from "../runtime/rpc.ts";
import { openStore, type Store } from "../store/store.ts";
import type { GatewayFunctions, JobFunctions, RecorderFunctions } from "../threads.ts";
import { createApi } from "./app.ts";
import { KeyWatch } from "./key-watch.ts";
import { Logins } from "./logins.ts";
import { ApiMetrics } from "./metrics.ts";
import { Signer } from "./signer.ts";

/** How long answers under way get when the API stops. */
const GRACE_MS = 2_000;

export interface ApiOptions {
  readonly config: Config;
  readonly log: Log;
  readonly recorder: Remote<RecorderFunctions>;
  readonly gateway: Remote<GatewayFunctions>;
  readonly jobs: Remote<JobFunctions>;
}

export interface RunningApi {
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * Opens the API's listener. Before it opens, the gateway has the keys of the database, where that can be read.
 *
 * @throws GatewayError `config_invalid` where the address cannot be listened on.
 */
export async function startApi({ config, log, recorder, gateway, jobs }: ApiOptions): Promise<RunningApi> {
  const reader = await openStore(config, "read");
  let writing: Promise<Store> | undefined;
  const writer = () => {
    writing ??= openStore(config, "write").catch((error: unknown) => {
      writing = undefined;
      throw error;
    });
    return writing;
  };
  const keys = new KeyWatch({ reader, writer, log, publish: (known) => gateway.setKeys(known) });
  await keys.start();
  const signer = new Signer(config, reader, writer);
  const logins = new Logins({ config, keys, reader, writer });
  const metrics = new ApiMetrics();
  const room = { config, log, reader, writer, recorder, gateway, jobs, keys, logins, signer, metrics };
  const api = createApi(room, await gateway.routes());
  const close = async () => {
    await keys.stop();
    await reader.close();
    await (await writing?.catch(() => undefined))?.close(); // a writer that never opened is none
  };
  try {
    const listener = listen(config.host, config.api_port, api);
    return {
      port: listener.port,
      stop: async () => {
        await listener.stop(GRACE_MS);
        await close();
      },
    };
  } catch (cause) {
    await close();
    const where = `${config.host}:${config.api_port}`;
    throw new GatewayError("config_invalid", `the API cannot listen on ${where}: ${messageOf(cause)}`, { cause });
  }
}
