import { listenerPorts } from "../config.ts";
import { isoTime } from "../record/iso-time.ts";
import { testPayload } from "../store/alerts/alert-payload.ts";
import { ALERT_SCHEMA, readAlertRule } from "../store/alerts/alert-rule.ts";
import { shownAlert } from "../store/alerts/alert-shown.ts";
import {
  type Alert,
  alertHistory,
  findAlert,
  firingOf,
  listAlerts,
  putAlert,
  removeAlert,
} from "../store/alerts/alerts.ts";
import { channelChecks } from "../store/alerts/channel-checks.ts";
import { CHANNELS, shownAddress } from "../store/alerts/channels.ts";
import type { Database } from "../store/store.ts";
import { atCommandLine } from "./acting.ts";
import type { Invocation, Run } from "./command.ts";
import { withOrganization } from "./organization.ts";
import { printJson, printList } from "./print.ts";
import { asLimit, asNumber, asUsage, checkedBody, readAll } from "./read-options.ts";
import { testEndpoints } from "./test-endpoints.ts";
import { CommandError, UsageError } from "./usage-error.ts";

export const listAlertsCommand: Run = async (invocation) => {
  await withOrganization(invocation, async ({ records }, organizationId) => {
    const firing = Map.groupBy(await firingOf(records, { organizationId }), ({ alert_id }) => alert_id);
    const all = (await listAlerts(records, organizationId)).map((alert) =>
      shownAlert(alert, firing.get(alert.id) ?? [], { addresses: "whole" }),
    );
    printList(invocation, all, {
      headings: ["id", "name", "when", "window", "state", "checked"],
      cells: (alert) => [
        alert.id,
        alert.name,
        `${alert.metric} ${alert.comparison} ${alert.threshold}`,
        alert.calendar === null ? `${alert.window_seconds} s` : `${alert.calendar}, ${alert.time_zone}`,
        alert.state === "firing" ? `firing (${alert.firing.length})` : alert.state,
        alert.checked_at ?? "never",
      ],
      none: "there are no alerts",
    });
  });
  return 0;
};

export const createAlertCommand: Run = async (invocation) => {
  const { options, terminal, config } = invocation;
  const rule = asUsage(() =>
    readAlertRule(checkedBody(ALERT_SCHEMA, readOptions(options)), channelChecks(config, listenerPorts(config))),
  );
  await withOrganization(invocation, async ({ records }, organizationId) => {
    const { alert, newSecrets } = await putAlert(records, { organizationId, by: atCommandLine() }, rule);
    if (options["json"]) return printJson(terminal, shownAlert(alert, [], { addresses: "whole", newSecrets }));
    for (const channel of alert.channels) {
      if (channel.type === "webhook") terminal.err(`${channel.url} is signed with ${channel.secret}\n`);
    }
    if (newSecrets.size > 0) terminal.err("The secret is shown this once.\n");
    if (alert.channels.length === 0)
      terminal.err("It has no channel, so it sends no notifications: it only shows in lists.\n");
    terminal.out(`${alert.id}\n`);
  });
  return 0;
};

export const deleteAlertCommand: Run = async (invocation) => {
  await withAlert(invocation, async (records, alert) => {
    await removeAlert(records, alert, atCommandLine());
    invocation.terminal.err(`alert ${alert.name} is removed\n`);
  });
  return 0;
};

export const alertHistoryCommand: Run = async (invocation) => {
  const limit = asLimit(invocation.options);
  await withAlert(invocation, async (records, alert) => {
    const events = (await alertHistory(records, alert.id, { limit, offset: 0 })).map((event) => ({
      ...event,
      created_at: isoTime(event.created_at),
    }));
    printList(invocation, events, {
      headings: ["time", "what", "group", "value", "requests", "why"],
      cells: ({ created_at, kind, group, value, requests, reason }) => {
        const names = Object.entries(group).map(([name, each]) => `${name} ${each ?? "(none)"}`);
        return [created_at, kind, names.join(", "), value === null ? "" : String(value), String(requests), reason];
      },
      none: "nothing has triggered yet",
    });
  });
  return 0;
};

export const testAlertCommand: Run = (invocation) =>
  withAlert(invocation, async (records, alert) => {
    if (alert.channels.length === 0) {
      throw new CommandError("the alert has no channels; give it one in the dashboard or through the API");
    }
    const payload = testPayload(alert, Date.now());
    const tests = alert.channels.map(({ id }) => ({ endpoint_id: id, payload }));
    const addressOf = (endpointId: string) => {
      const channel = alert.channels.find(({ id }) => id === endpointId)!;
      // If the complete address is shown, it needs no type.
      return CHANNELS[channel.type].isSecret ? `${channel.type} ${shownAddress(channel)}` : shownAddress(channel);
    };
    return testEndpoints(invocation, records, { source: alert, tests, addressOf });
  });

async function withAlert<T>(invocation: Invocation, work: (records: Database, alert: Alert) => Promise<T>): Promise<T> {
  const id = invocation.args[0]!;
  return withOrganization(invocation, async ({ records }, organizationId) => {
    const alert = await findAlert(records, id, organizationId);
    if (alert === undefined) throw new CommandError(`there is no alert ${id}; \`weir alerts list\` shows them`);
    return work(records, alert);
  });
}

function readOptions(options: Invocation["options"]): Readonly<Record<string, unknown>> {
  const { bound, window, filter, ...members } = readAll({
    name: () => needed(options, "name"),
    metric: () => needed(options, "metric"),
    bound: () => readBound(options),
    window: () => readWindow(options),
    filter: () => (options["filter"] === undefined ? {} : { filter: asJson(String(options["filter"])) }),
    minimum_requests: () => asNumber(options, "minimum-requests") ?? 0,
    cooldown_seconds: () => asSeconds(options, "cooldown") ?? 300,
  });
  const list = (name: string) => (options[name] ?? []) as readonly string[];
  const groups = options["group-by"]?.toString().split(",");
  return {
    ...members,
    ...bound,
    ...window,
    ...filter,
    ...(groups !== undefined && { group_by: groups.map((each) => each.trim()) }),
    channels: TYPES.flatMap((type) => list(type).map((target) => ({ type, [CHANNELS[type].target]: target }))),
  };
}

function needed(options: Invocation["options"], name: string): unknown {
  if (options[name] === undefined) throw new UsageError(`alerts create needs --${name} ${name.toUpperCase()}`);
  return options[name];
}

function readBound(options: Invocation["options"]) {
  const [above, below] = [asNumber(options, "above"), asNumber(options, "below")];
  if ((above === undefined) === (below === undefined)) throw new UsageError("alerts create needs --above or --below");
  return { comparison: above === undefined ? "below" : "above", threshold: above ?? below };
}

function readWindow(options: Invocation["options"]) {
  const { calendar, "time-zone": time_zone } = options;
  const seconds = asSeconds(options, "window");
  if (calendar === undefined && time_zone === undefined) return { window_seconds: seconds ?? 300 };
  if (seconds !== undefined) throw new UsageError("alerts create takes --window or --calendar, not both");
  return { ...(calendar !== undefined && { calendar }), ...(time_zone !== undefined && { time_zone }) };
}

const TYPES = Object.keys(CHANNELS) as (keyof typeof CHANNELS)[];

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

function asSeconds(options: Invocation["options"], name: string): number | undefined {
  const text = options[name]?.toString();
  if (text === undefined) return undefined;
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text.trim()) ?? [];
  if (count === undefined) throw new UsageError(`--${name} takes a time such as 90s, 15m, 12h or 7d, not ${text}`);
  return Number(count) * SECONDS[unit!]!;
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError("--filter takes a filter tree as JSON");
  }
}
