import type { Config } from "../../config.ts";
import { engineReader } from "../../engine/reader.ts";
import { decodeFilter } from "../../filter/decode.ts";
import { both, type FilterTree } from "../../filter/tree.ts";
import { type Log, messageOf } from "../../log.ts";
import { uuidv7 } from "../../runtime/uuid.ts";
import { lastEvent, noteCheck, noteEvent, noteHeld } from "../../store/alerts/alert-events.ts";
import { alertPayload } from "../../store/alerts/alert-payload.ts";
import { isSpeed, scoreOf, windowStart } from "../../store/alerts/alert-rule.ts";
import { type Alert, type AlertEvent, type Firing, firingOf, listAlerts } from "../../store/alerts/alerts.ts";
import { Deadline } from "../../store/database/deadline.ts";
import { isAway } from "../../store/database/failure.ts";
import { enqueue } from "../../store/deliveries/deliveries.ts";
import type { Database, Store } from "../../store/store.ts";
import { type Transition, transitions } from "./transitions.ts";

/** Maximum groups per check, those with the most requests first. */
const GROUPS_MAX = 10_000;
/** Maximum groups of one alert that trigger in one check; the rest trigger in the next. */
const TRIGGERS_MAX = 1_000;
const ERROR_CHARS_MAX = 300;

interface CheckerOptions {
  readonly config: Config;
  readonly log: Log;
  readonly reader: Store;
  readonly writer: () => Promise<Store>;
}

/**
 * Checks every alert once: changes are stored together with their deliveries, in one transaction. The caller ensures that
 * only one check runs at a time.
 */
export class AlertChecker {
  readonly #options: CheckerOptions;
  #stopped = false;

  constructor(options: CheckerOptions) {
    this.#options = options;
  }

  async checkAll(): Promise<void> {
    const { records } = this.#options.reader;
    const all = await listAlerts(records);
    const firing = Map.groupBy(all.length === 0 ? [] : await firingOf(records, {}), ({ alert_id }) => alert_id);
    for (const alert of all) {
      if (this.#stopped) return;
      const known = firing.get(alert.id) ?? [];
      if (!alert.enabled && known.length === 0) continue;
      const error = await this.#check(alert, known).catch((cause: unknown) => {
        if (isAway(cause)) throw cause;
        return messageOf(cause).slice(0, ERROR_CHARS_MAX);
      });
      if (error !== undefined && error !== alert.error) {
        this.#options.log.warn("an alert cannot be checked", { alert: alert.id, error });
      }
      const { records: written } = await this.#options.writer();
      await noteCheck(written, alert.id, error ?? null);
    }
  }

  /** The running check ends after its current alert. */
  stop(): void {
    this.#stopped = true;
  }

  async #check(alert: Alert, firing: readonly Firing[]): Promise<undefined> {
    const now = Date.now();
    const rows = alert.enabled ? await this.#metrics(alert, now) : [];
    const { records } = await this.#options.writer();
    const held: Transition[] = [];
    let triggered = 0;
    for (const change of transitions(alert, rows, firing, now)) {
      if (change.to === "hold") held.push(change);
      else if (change.to === "resolved" || triggered++ < TRIGGERS_MAX) await this.#note(records, alert, change, now);
    }
    await noteHeld(records, alert.id, held, now);
  }

  #metrics(alert: Alert, now: number) {
    const { reader, config } = this.#options;
    const tree = both(treeOf(alert.filter), since(windowStart(alert, now)));
    const score = scoreOf(alert.metric);
    const measured = { speeds: isSpeed(alert.metric), ...(score === undefined ? {} : { scores: [score] }) };
    const query = { groupBy: alert.group_by, timeBucket: undefined, ...measured, limit: GROUPS_MAX, offset: 0 };
    const deadline = new Deadline(config.query_timeout_seconds * 1_000);
    return engineReader(reader, config).aggregates.metrics(
      { organizationId: alert.organization_id, tree },
      query,
      deadline,
    );
  }

  /** Event, state and deliveries are stored together or not at all. */
  async #note(records: Database, alert: Alert, change: Transition, now: number): Promise<void> {
    const previous = change.firing?.event_id ?? (await lastEvent(records, alert.id, change.group));
    const event: AlertEvent = {
      id: uuidv7(now),
      kind: change.to === "triggered" ? "triggered" : "resolved",
      group: change.group,
      value: change.value,
      threshold: alert.threshold,
      requests: change.requests,
      reason: change.reason,
      created_at: now,
    };
    const payload = alertPayload(alert, event, change.firing?.triggered_at ?? now);
    const deliveries = alert.channels.map((channel) =>
      enqueue(
        {
          organization_id: alert.organization_id,
          kind: "alert",
          source_id: alert.id,
          endpoint_id: channel.id,
          subject_id: event.id,
          payload,
        },
        now,
      ),
    );
    // Another process may have stored the same event.
    if (!(await noteEvent(records, { ...event, alert_id: alert.id, previous }, deliveries))) return;
    const { id, name } = alert;
    this.#options.log.info(`an alert ${event.kind === "triggered" ? "fires" : "is resolved"}`, {
      id,
      name,
      value: event.value,
    });
  }
}

function treeOf(filter: unknown): FilterTree {
  return decodeFilter(filter, "legacy").tree;
}

function since(time: number): FilterTree {
  return treeOf({ request_response_rmt: { request_created_at: { gte: new Date(time).toISOString() } } });
}
