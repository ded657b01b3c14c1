import { basename } from "node:path";
import { type Config, listenerPorts } from "../config.ts";
import { tlsPairOf } from "../egress/tls-pair-of.ts";
import { engineReader } from "../engine/reader.ts";
import { GatewayError } from "../errors.ts";
import { type Log, messageOf } from "../log.ts";
import type { Act } from "../people/actions.ts";
import { SYSTEM } from "../people/actor.ts";
import { PassedOn } from "../runtime/http/pass-on.ts";
import { listenTls } from "../runtime/listen.ts";
import { platform } from "../runtime/platform.ts";
import type { Endpoint, Remote } from "../runtime/rpc.ts";
import { credentialsFingerprint, listCredentials } from "../store/credentials/credentials.ts";
import { ChangeGate } from "../store/database/change-gate.ts";
import { LazyStore } from "../store/database/lazy-store.ts";
import { routingFingerprint, storedRouting } from "../store/routing.ts";
import { localPath, openStore } from "../store/store.ts";
import type { GatewayFunctions, JobFunctions, RecorderFunctions } from "../threads.ts";
import { Followed } from "./access/followed.ts";
import { KeyWatch } from "./access/key-watch.ts";
import { Signer } from "./access/signer.ts";
import { createApi } from "./app.ts";
import { onFault } from "./fault.ts";
import { Logins } from "./logins/logins.ts";
import { Sso } from "./logins/sso/sso.ts";
import { ApiMetrics } from "./operation/metrics.ts";

/** How long responses in progress may take when the API stops. */
const GRACE_MS = 2_000;

interface ApiOptions {
  readonly config: Config;
  /** The region whose database has keys and prices, if that is another one. */
  readonly home?: Config | undefined;
  /** Secrets of identity providers from environment variables, by provider name. */
  readonly ssoSecrets?: Readonly<Record<string, string>>;
  readonly log: Log;
  readonly recorder: Remote<RecorderFunctions>;
  readonly gateway: Remote<GatewayFunctions>;
  readonly jobs: Remote<JobFunctions>;
  /** Passes the playground's requests to the gateway. */
  readonly requests: Endpoint;
}

export interface RunningApi {
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * Opens the API's listener. Before it opens, the gateway has the keys of the database, if that can be read.
 *
 * @throws GatewayError `config_invalid` if the address cannot be listened on.
 */
export async function startApi(options: ApiOptions): Promise<RunningApi> {
  const { config, home, log, recorder, gateway, jobs } = options;
  const reader = await openStore(config, "read");
  const own = new LazyStore(config);
  const opened = home === undefined ? undefined : new LazyStore(home);
  // A database file has no replica: one set of connections is enough.
  const oneReader = home === undefined && localPath(config) !== undefined;
  const homeReader = oneReader ? reader : await openStore(home ?? config, "current");
  const homeStore = { config: home ?? config, reader: homeReader, writer: (opened ?? own).writer };
  const current = home === undefined ? homeReader : await openStore(config, "current");
  // With a database server, other nodes must learn of a key too: commands then wait for none of them.
  const noteAs = localPath(home ?? config) === undefined ? undefined : config.region;
  const keys = new KeyWatch({ ...homeStore, log, noteAs, publish: (known) => gateway.setKeys(known) });
  await keys.start();
  const { records: homeRecords } = homeReader;
  const [ofCredentials, ofRoutes] = [new ChangeGate([homeRecords]), new ChangeGate([homeRecords])];
  const credentials = new Followed({
    what: "credentials",
    log,
    mayHaveChanged: () => ofCredentials.isOpen(),
    fingerprint: () => credentialsFingerprint(homeRecords),
    read: () => listCredentials(homeRecords),
    publish: (known) => gateway.setCredentials(known),
  });
  const routes = new Followed({
    what: "routes",
    log,
    mayHaveChanged: () => ofRoutes.isOpen(),
    fingerprint: () => routingFingerprint(homeRecords),
    read: () => storedRouting(homeRecords),
    publish: (known) => gateway.setRouting(known),
  });
  for (const each of [credentials, routes]) await each.start();
  const { writer } = own;
  const signer = new Signer(config, reader, writer);
  const logins = new Logins({ ...homeStore, config, keys });
  const sso = new Sso(config, options.ssoSecrets ?? {});
  const metrics = new ApiMetrics();
  const stores = {
    reader,
    engine: engineReader(reader, config),
    current,
    writer,
    home: homeStore,
    ownPorts: listenerPorts(home ?? config),
  };
  const passedOn = new PassedOn(options.requests);
  const threads = { recorder, gateway, jobs, passedOn };
  const context = { config, log, ...stores, ...threads, keys, credentials, routes, logins, sso, signer, metrics };
  const api = createApi(context, await gateway.routes());
  const close = async () => {
    for (const each of [keys, credentials, routes]) await each.stop();
    await reader.close();
    await homeReader.close();
    if (current !== homeReader) await current.close();
    await own.close();
    await opened?.close();
  };
  try {
    // The gateway's threads watch the same files: one log entry is enough.
    const pair = tlsPairOf(config, log, () => noteReloaded(options));
    const at = [config.host, config.api_port, api] as const;
    const listener = pair === undefined ? platform.serve(...at) : await listenTls(...at, { pair, onFault });
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

function noteReloaded({ recorder, config, log }: ApiOptions): void {
  const act: Act = {
    action: "config.reloaded",
    organizationId: null,
    object: { kind: "certificate", id: config.tls_cert_file, name: basename(config.tls_cert_file) },
  };
  recorder.note({ by: SYSTEM, act }).catch((error: unknown) => {
    log.warn("the audit log does not have that the certificate was read again", { why: messageOf(error) });
  });
}
