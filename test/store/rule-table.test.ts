import { expect, test } from "bun:test";
import { migrate } from "../../src/store/migrate.ts";
import { openStore } from "../../src/store/store.ts";
import { readWebhookRule } from "../../src/store/webhooks/webhook-rule.ts";
import { listWebhooks, putWebhook, removeWebhook } from "../../src/store/webhooks/webhooks.ts";
import { ownDirectory } from "./open.ts";

test("an organization that has all the webhooks it may have can change and remove them, and others make theirs", async () => {
  using directory = ownDirectory();
  const store = await openStore(directory.config, "write");
  await migrate(store);
  const { records } = store;
  const rule = readWebhookRule({ url: "https://hooks.example.com/" }, () => undefined);
  const last = await putWebhook(records, "org-1", rule);
  for (let made = 1; made < 100; made++) await putWebhook(records, "org-1", rule);
  await expect(putWebhook(records, "org-1", rule)).rejects.toThrow("there are 100 webhooks already: remove one first");
  expect((await putWebhook(records, "org-1", { ...rule, name: "changed" }, last)).id).toBe(last.id);
  await putWebhook(records, "org-2", rule);
  await removeWebhook(records, last.id);
  await putWebhook(records, "org-1", rule);
  expect((await listWebhooks(records, "org-1")).length).toBe(100);
  await store.close();
});
