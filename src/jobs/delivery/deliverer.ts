import { createHash, randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { type Config, listenerPorts, schemeOf } from "../../config.ts";
import { type Log, messageOf } from "../../log.ts";
import { isoTime } from "../../record/iso-time.ts";
import { windowStart } from "../../store/alerts/alert-rule.ts";
import type { Alert } from "../../store/alerts/alerts.ts";
import { ChangeGate } from "../../store/database/change-gate.ts";
import { isAway } from "../../store/database/failure.ts";
import { patiently } from "../../store/database/while-locked.ts";
import type { Delivery } from "../../store/deliveries/deliveries.ts";
import {
  type Attempt,
  bringForward,
  claimDue,
  dueEndpoints,
  limitWaiting,
  nextDue,
  REMOVED,
  releaseClaims,
  settle,
  sweepDeliveries,
} from "../../store/deliveries/delivery-queue.ts";
import { URL_SECRET } from "../../store/signed-address.ts";
import type { Store } from "../../store/store.ts";
import { StoredSecret } from "../../store/stored-secret.ts";
import type { ListenerPorts } from "../../threads.ts";
import { type Endpoint, findEndpoint } from "./endpoint.ts";
import { DeliveryMetrics } from "./metrics.ts";
import { requestPayloads } from "./request-payload.ts";
import { requestsLink } from "./requests-link.ts";
import { MOST_MS, nextAttempt } from "./retry.ts";
import { openSender, type Sender } from "./sender.ts";

const LOOK_MS = 250;
/** Maximum endpoints served at the same time, and deliveries in flight per endpoint. */
const LANES_MAX = 64;
const PARALLEL_MAX = 8;
/** Maximum deliveries claimed at a time; an endpoint that refused the last one gets a single one. */
const CLAIM_MAX = 64;
/** Claimed deliveries count as untried after this time, which is longer than all attempts of a claim can take. */
const LEASE_MS = 300_000;
const SWEEP_MS = 60_000;
const STEP_PAUSE_MS = 50;

interface DelivererOptions {
  readonly config: Config;
  readonly log: Log;
  readonly reader: Store;
  readonly writer: () => Promise<Store>;
  readonly ports: () => Promise<ListenerPorts>;
}

/**
 * Takes deliveries from the queue in the database and sends each until it is accepted or expires.
 *
 * A delivery that is sent twice, for example after a crash, has the same id both times. An unreachable endpoint does not
 * delay others: every endpoint has its own lane.
 */
export class Deliverer {
  readonly #options: DelivererOptions;
  readonly #sender: Sender;
  readonly #secret: StoredSecret;
  readonly #metrics = new DeliveryMetrics();
  /** The same after a restart of this deployment, so that it finds its claims. */
  readonly #claimPrefix: string;
  readonly #lanes = new Map<string, Promise<void>>();
  readonly #failing = new Set<string>();
  /** Endpoints with finished deliveries since the last sweep. */
  readonly #finished = new Set<string>();
  #ports: ListenerPorts = { own: [], api: 0 };
  #timer: ReturnType<typeof setInterval> | undefined;
  #looking = false;
  #released = false;
  #stopped = false;
  #sweptAt = performance.now();
  #broughtForwardAt = Number.NEGATIVE_INFINITY;
  #failed: string | undefined;
  readonly #gate: ChangeGate;
  /** When the next delivery is due, in milliseconds since 1970. */
  #dueAt = Number.NEGATIVE_INFINITY;

  constructor(options: DelivererOptions) {
    this.#options = options;
    const { config, reader, writer } = options;
    this.#sender = openSender(config, () => new Set([...listenerPorts(config), ...this.#ports.own]));

    this.#gate = new ChangeGate([reader.records]);
    this.#secret = new StoredSecret(URL_SECRET, reader, writer);
    const place = createHash("sha256").update(`${hostname()}\n${config.data_dir}`).digest("hex").slice(0, 16);
    this.#claimPrefix = `${place}:`;
  }

  start(): void {
    this.#timer = setInterval(() => void this.look(), LOOK_MS);
    this.#timer.unref();
  }

  /** Opens a lane for every endpoint with due deliveries. Never rejects. */
  async look(): Promise<void> {
    if (this.#looking || this.#stopped) return;
    this.#looking = true;
    try {
      if (!this.#released) {
        const { records } = await this.#options.writer();
        await patiently(() => releaseClaims(records, this.#claimPrefix, Date.now()));
        this.#released = true;
      }
      await this.#bringForward();
      if (performance.now() - this.#sweptAt > SWEEP_MS) await this.#sweep();
      if (!(await this.#mayBeDue())) {
        this.#failed = undefined;
        return;
      }
      const due = await dueEndpoints(this.#options.reader.records, Date.now());
      if (due.length > 0) this.#ports = await this.#options.ports();
      // At startup the API starts last, and notifications contain its addresses.
      if (this.#ports.api === 0) return;
      for (const id of due) {
        if (this.#lanes.size >= LANES_MAX || this.#stopped) break;
        if (!this.#lanes.has(id)) this.#openLane(id);
      }
      this.#failed = undefined;
    } catch (error) {
      this.#warn(error);
    } finally {
      this.#looking = false;
    }
  }

  /** False only if no delivery is due now. */
  async #mayBeDue(): Promise<boolean> {
    if (await this.#gate.isOpen()) {
      this.#dueAt = Number.NEGATIVE_INFINITY; // also if the query fails
      this.#dueAt = (await nextDue(this.#options.reader.records)) ?? Number.POSITIVE_INFINITY;
    }
    return this.#dueAt <= Date.now();
  }

  /** Prometheus text. */
  metricsText(): Promise<string> {
    return this.#metrics.text(this.#options.reader.records);
  }

  /** Waits for deliveries in flight. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await Promise.all(this.#lanes.values());
    this.#sender.close();
  }

  #openLane(endpointId: string): void {
    const lane = this.#serve(endpointId)
      .catch((error) => this.#warn(error))
      .finally(() => this.#lanes.delete(endpointId));
    this.#lanes.set(endpointId, lane);
  }

  async #serve(endpointId: string): Promise<void> {
    const { records } = await this.#options.writer();
    while (!this.#stopped) {
      const failing = this.#failing.has(endpointId);
      const claim = `${this.#claimPrefix}${randomUUID()}`;
      let claimed: Delivery[] = [];
      await patiently(async () => {
        const wanted = { claim, now: Date.now(), leaseMs: LEASE_MS, limit: failing ? 1 : CLAIM_MAX };
        claimed = await claimDue(records, endpointId, wanted);
      });
      if (claimed.length === 0) return;
      const attempts = await this.#attemptAll(claimed);
      await this.#settle(attempts);
      this.#finished.add(endpointId);
      if (attempts.some(({ failure }) => failure === null)) this.#failing.delete(endpointId);
      else this.#failing.add(endpointId);
    }
  }

  async #attemptAll(claimed: readonly Delivery[]): Promise<Attempt[]> {
    const endpoint = await findEndpoint(this.#options.reader.records, claimed[0]!);
    const payloads = await this.#payloads(endpoint, claimed);
    const attempts: Attempt[] = [];
    const rest = claimed.values();
    // Notifications of one alert are sent in order while they are accepted.
    const parallel = claimed[0]!.kind === "request" ? PARALLEL_MAX : 1;
    const one = async () => {
      for (const delivery of rest) attempts.push(await this.#attempt(endpoint, delivery, payloads));
    };
    await Promise.all(Array.from({ length: parallel }, one));
    return attempts;
  }

  async #attempt(endpoint: Endpoint, delivery: Delivery, payloads: ReadonlyMap<string, string>): Promise<Attempt> {
    const stored = delivery.payload ?? payloads.get(delivery.subject_id);
    const payload = stored !== undefined && "alert" in endpoint ? this.#withLink(stored, endpoint.alert) : stored;
    if (payload === undefined && endpoint.type !== "gone") {
      return { delivery, status: null, failure: { error: REMOVED, retryAt: undefined } };
    }
    const sent = await this.#sender.send(endpoint, delivery.id, payload ?? "");
    if (sent.error === null) return { delivery, status: sent.status, failure: null };
    const now = Date.now();
    const endsAt = delivery.created_at + this.#options.config.delivery_retry_seconds * 1_000;
    const requested = sent.retryAfterMs === undefined ? {} : { retryAfterMs: sent.retryAfterMs };
    const retryAt = sent.final ? undefined : nextAttempt(delivery.attempts + 1, { now, endsAt, ...requested });
    if (retryAt === undefined) {
      const { source_id, endpoint_id, id } = delivery;
      this.#options.log.warn("a delivery has failed permanently", { id, source_id, endpoint_id, error: sent.error });
    }
    return { delivery, status: sent.status, failure: { error: sent.error, retryAt } };
  }

  async #payloads(endpoint: Endpoint, claimed: readonly Delivery[]): Promise<ReadonlyMap<string, string>> {
    const { config, reader } = this.#options;
    const ids = claimed.filter(({ payload }) => payload === null).map(({ subject_id }) => subject_id);
    if (ids.length === 0 || endpoint.type !== "webhook" || !("webhook" in endpoint)) return new Map();
    return requestPayloads(
      { config, reader, secret: this.#secret, origin: () => this.#origin() },
      endpoint.webhook,
      ids,
    );
  }

  /** The payload of an alert, with a link to the counted requests. */
  #withLink(payload: string, alert: Alert): string {
    const event = JSON.parse(payload);
    const origin = this.#options.config.public_url.replace(/\/+$/, "") || this.#origin();
    const started = event.window_started_at ?? isoTime(windowStart(alert, Date.parse(event.timestamp)));
    const times = { from: started, to: event.timestamp };
    return JSON.stringify({ ...event, requests_url: requestsLink(origin, alert, event.group, times) });
  }

  #origin(): string {
    const { public_api_url, host } = this.#options.config;
    if (public_api_url !== "") return public_api_url.replace(/\/+$/, "");
    const name = /^(0\.0\.0\.0|::)$/.test(host) ? "127.0.0.1" : host;
    return `${schemeOf(this.#options.config)}://${name.includes(":") ? `[${name}]` : name}:${this.#ports.api}`;
  }

  /** Retried until the database accepts it, so that deliveries are not repeated needlessly. */
  async #settle(attempts: readonly Attempt[]): Promise<void> {
    const { records } = await this.#options.writer();
    for (;;) {
      try {
        await patiently(() => settle(records, attempts, Date.now()));
        return this.#metrics.settled(attempts);
      } catch (error) {
        if (!isAway(error) || this.#stopped) throw error;
        this.#warn(error);
      }
    }
  }

  /** Deliveries postponed before the clock was set back must not wait until it has caught up. */
  async #bringForward(): Promise<void> {
    if (performance.now() - this.#broughtForwardAt < SWEEP_MS) return;
    this.#broughtForwardAt = performance.now();
    const { records } = await this.#options.writer();
    await patiently(() => bringForward(records, Date.now(), MOST_MS + LEASE_MS));
  }

  async #sweep(): Promise<void> {
    const { records } = await this.#options.writer();
    this.#sweptAt = performance.now();
    await patiently(async () => this.#metrics.gaveUp(await limitWaiting(records, Date.now())));
    const endpoints = [...this.#finished];
    this.#finished.clear();
    await sweepDeliveries(records, endpoints, () => sleep(STEP_PAUSE_MS));
  }

  /** An unreachable database fails four times a second: log it once. */
  #warn(error: unknown): void {
    if (this.#failed !== messageOf(error)) {
      this.#options.log.warn("deliveries wait and will be retried", { error: messageOf(error) });
    }
    this.#failed = messageOf(error);
  }
}
