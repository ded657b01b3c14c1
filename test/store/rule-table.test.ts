import { expect, test } from "bun:test";
import { SYSTEM } from "../../src/people/actor.ts";
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
  const last = await putWebhook(records, { organizationId: "org-1", by: SYSTEM }, rule);
  for (let made = 1; made < 100; made++) await putWebhook(records, { organizationId: "org-1", by: SYSTEM }, rule);
  await expect(putWebhook(records, { organizationId: "org-1", by: SYSTEM }, rule)).rejects.toThrow(
    "there are 100 webhooks already: remove one first",
  );
  expect(
    (await putWebhook(records, { organizationId: "org-1", by: SYSTEM, previous: last }, { ...rule, name: "changed" }))
      .id,
  ).toBe(last.id);
  await putWebhook(records, { organizationId: "org-2", by: SYSTEM }, rule);
  await removeWebhook(records, last, SYSTEM);
  await putWebhook(records, { organizationId: "org-1", by: SYSTEM }, rule);
  expect((await listWebhooks(records, "org-1")).length).toBe(100);
  await store.close();
});
