import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { listenerPorts } from "../config.ts";
import { fileProblem } from "../file-problem.ts";
import { channelChecks } from "../store/alerts/channel-checks.ts";
import { listDeliveries } from "../store/deliveries/deliveries.ts";
import { shownDelivery } from "../store/deliveries/delivery-shown.ts";
import type { Database } from "../store/store.ts";
import { readWebhookRule, WEBHOOK_SCHEMA } from "../store/webhooks/webhook-rule.ts";
import { shownWebhook, webhookTest } from "../store/webhooks/webhook-shown.ts";
import { findWebhook, listWebhooks, putWebhook, removeWebhook, type Webhook } from "../store/webhooks/webhooks.ts";
import { atCommandLine } from "./acting.ts";
import type { Invocation, Run } from "./command.ts";
import { withOrganization } from "./organization.ts";
import { printJson, printList } from "./print.ts";
import { asLimit, asNumber, asUsage, checkedBody, readAll } from "./read-options.ts";
import { testEndpoints } from "./test-endpoints.ts";
import { CommandError, UsageError } from "./usage-error.ts";

export const listWebhooksCommand: Run = async (invocation) => {
  await withOrganization(invocation, async ({ records }, organizationId) => {
    const all = (await listWebhooks(records, organizationId)).map(shownWebhook);
    printList(invocation, all, {
      headings: ["id", "name", "url", "properties", "sample", "state"],
      cells: ({ id, name, url, property_filters = [], sample_rate, enabled }) => {
        const filters = property_filters.map((each) =>
          each.value === undefined ? each.name : `${each.name}=${each.value}`,
        );
        return [id, name ?? "", url, filters.join(", "), `${sample_rate} %`, enabled ? "on" : "off"];
      },
      none: "there are no webhooks",
    });
  });
  return 0;
};

/** A running service starts sending within a second or two. */
export const addWebhookCommand: Run = async (invocation) => {
  const { options, terminal, config } = invocation;
  const { refuseUrl } = channelChecks(config, listenerPorts(config));
  const rule = asUsage(() => readWebhookRule(checkedBody(WEBHOOK_SCHEMA, readOptions(invocation)), refuseUrl));
  await withOrganization(invocation, async ({ records }, organizationId) => {
    const webhook = await putWebhook(records, { organizationId, by: atCommandLine() }, rule);
    const { secret } = webhook;
    if (options["json"]) return printJson(terminal, { ...shownWebhook(webhook), secret });
    if (rule.secret === undefined) terminal.err(`Deliveries are signed with ${secret}, shown this once.\n`);
    terminal.out(`${webhook.id}\n`);
  });
  return 0;
};

export const removeWebhookCommand: Run = (invocation) =>
  withWebhook(invocation, async (records, webhook) => {
    await removeWebhook(records, webhook, atCommandLine());
    invocation.terminal.err(`${webhook.url} is removed\n`);
    return 0;
  });

export const testWebhookCommand: Run = (invocation) =>
  withWebhook(invocation, (records, webhook) =>
    testEndpoints(invocation, records, {
      source: webhook,
      tests: [webhookTest(webhook)],
      addressOf: () => webhook.url,
    }),
  );

export const webhookDeliveriesCommand: Run = (invocation) => {
  const limit = asLimit(invocation.options);
  return withWebhook(invocation, async (records, { id }) => {
    const all = (await listDeliveries(records, id, { limit, offset: 0 })).map(shownDelivery);
    printList(invocation, all, {
      headings: ["time", "of", "state", "attempts", "last error"],
      cells: ({ created_at, kind, subject_id, state, attempts, last_error }) => [
        created_at,
        subject_id ?? kind,
        state,
        String(attempts),
        last_error ?? "",
      ],
      none: "there are no deliveries yet",
    });
    return 0;
  });
};

function withWebhook<T>(invocation: Invocation, work: (records: Database, webhook: Webhook) => Promise<T>): Promise<T> {
  const id = invocation.args[0]!;
  return withOrganization(invocation, async ({ records }, organizationId) => {
    const webhook = await findWebhook(records, id, organizationId);
    if (webhook === undefined) throw new CommandError(`there is no webhook ${id}; \`weir webhooks list\` shows them`);
    return work(records, webhook);
  });
}

/** The given members of the API's body. */
function readOptions({ args, options, terminal }: Invocation): Readonly<Record<string, unknown>> {
  const secretFile = options["secret-file"]?.toString();
  const { sampleRate, secret } = readAll({
    sampleRate: () => asNumber(options, "sample-rate"),
    secret: () => secretFile && readSecretFile(resolve(terminal.workingDirectory, secretFile)),
  });
  const filters = ((options["property"] ?? []) as readonly string[]).map((each) => {
    const at = each.indexOf("=");
    return at < 0 ? { name: each } : { name: each.slice(0, at), value: each.slice(at + 1) };
  });
  const fields = options["fields"]?.toString().split(",");
  return {
    url: args[0],
    ...(options["name"] !== undefined && { name: options["name"] }),
    ...(options["event"] !== undefined && { events: options["event"] }),
    ...(filters.length > 0 && { property_filters: filters }),
    ...(sampleRate !== undefined && { sample_rate: sampleRate }),
    ...(fields !== undefined && { fields: fields.map((each) => each.trim()) }),
    ...(options["include-body"] === true && { include_body: true }),
    ...(secret !== undefined && { secret }),
    ...(options["disabled"] === true && { enabled: false }),
  };
}

/** Every user of the machine can read a secret on the command line. */
function readSecretFile(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    throw new UsageError(`--secret-file ${path} cannot be read: ${fileProblem(error)}`);
  }
}
