import { basename } from "node:path";
import { type Config, listenerPorts } from "../config.ts";
import { tlsPairOf } from "../egress/tls-pair-of.ts";
import { engineReader } from "../engine/reader.ts";
import { GatewayError } from "../errors.ts";
import { type Log, messageOf } from "../log.ts";
import type { Act } from "../people/actions.ts";
import { SYSTEM } from "../people/actor.ts";
import { PassedOn } from "../runtime/http/pass-on.ts";
import { listen } from "../runtime/listen.ts";
import type { Endpoint, Remote } from "../runtime/rpc.ts";
import { credentialsFingerprint, listCredentials } from "../store/credentials/credentials.ts";
import { ChangeGate } from "../store/database/change-gate.ts";
import { LazyStore } from "../store/database/lazy-store.ts";
import { routingFingerprint, storedRouting } from "../store/routing.ts";
import { type Database, localPath, openStore } from "../store/store.ts";
import type { GatewayFunctions, JobFunctions, RecorderFunctions } from "../threads.ts";
import { Followed } from "./access/followed.ts";
import { KeyWatch } from "./access/key-watch.ts";
import { Signer } from "./access/signer.ts";
import { createApi } from "./app.ts";
import type { ApiContext } from "./context.ts";
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
  const stores = await openStores(config, home);
  const { reader, home: homeStore, writer } = stores;
  // With a database server, other nodes must learn of a key too: commands then wait for none of them.
  const noteAs = localPath(homeStore.config) === undefined ? undefined : config.region;
  const keys = new KeyWatch({ ...homeStore, log, noteAs, publish: (known) => gateway.setKeys(known) });
  const { credentials, routes } = followedTables(homeStore.reader.records, options);
  const followed = [keys, credentials, routes];
  for (const each of followed) await each.start();
  const context: ApiContext = {
    ...{ config, log, reader, writer, current: stores.current, home: homeStore, keys, credentials, routes },
    ...{ recorder, gateway, jobs, passedOn: new PassedOn(options.requests) },
    engine: engineReader(reader, config),
    ownPorts: listenerPorts(homeStore.config),
    signer: new Signer(config, reader, writer),
    logins: new Logins({ ...homeStore, config, keys }),
    sso: new Sso(config, options.ssoSecrets ?? {}),
    metrics: new ApiMetrics(),
  };
  const api = createApi(context, await gateway.routes());
  const close = async () => {
    for (const each of followed) await each.stop();
    await stores.close();
  };
  const listener = await openListener(options, api).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return {
    port: listener.port,
    stop: async () => {
      await listener.stop(GRACE_MS);
      await close();
    },
  };
}

/** The connections of the API: to its region's database, and to the one with keys and prices. */
async function openStores(config: Config, home: Config | undefined) {
  const reader = await openStore(config, "read");
  const own = new LazyStore(config);
  const opened = home === undefined ? undefined : new LazyStore(home);
  // A database file has no replica: one set of connections is enough.
  const oneReader = home === undefined && localPath(config) !== undefined;
  const homeReader = oneReader ? reader : await openStore(home ?? config, "current");
  const current = home === undefined ? homeReader : await openStore(config, "current");
  return {
    reader,
    current,
    writer: own.writer,
    home: { config: home ?? config, reader: homeReader, writer: (opened ?? own).writer },
    async close() {
      await reader.close();
      await homeReader.close();
      if (current !== homeReader) await current.close();
      await own.close();
      await opened?.close();
    },
  };
}

/** Tables whose changes the gateway must learn. */
function followedTables(records: Database, { log, gateway }: ApiOptions) {
  const [ofCredentials, ofRoutes] = [new ChangeGate([records]), new ChangeGate([records])];
  return {
    credentials: new Followed({
      what: "credentials",
      log,
      mayHaveChanged: () => ofCredentials.isOpen(),
      fingerprint: () => credentialsFingerprint(records),
      read: () => listCredentials(records),
      publish: (known) => gateway.setCredentials(known),
    }),
    routes: new Followed({
      what: "routes",
      log,
      mayHaveChanged: () => ofRoutes.isOpen(),
      fingerprint: () => routingFingerprint(records),
      read: () => storedRouting(records),
      publish: (known) => gateway.setRouting(known),
    }),
  };
}

/** @throws GatewayError `config_invalid`. */
async function openListener(options: ApiOptions, api: ReturnType<typeof createApi>) {
  const { config, log } = options;
  try {
    // The gateway's threads watch the same files: one log entry is enough.
    const pair = tlsPairOf(config, log, () => noteReloaded(options));
    return await listen(config.host, config.api_port, api, { pair, onFault });
  } catch (cause) {
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
