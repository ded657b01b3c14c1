import { expect, test } from "bun:test";
import { AlertChecker } from "../../src/jobs/alerts/checker.ts";
import { createLog } from "../../src/log.ts";
import { SYSTEM } from "../../src/people/actor.ts";
import { alertHistory, findAlert, firingOf, putAlert } from "../../src/store/alerts/alerts.ts";
import { listDeliveries } from "../../src/store/deliveries/deliveries.ts";
import { migrate } from "../../src/store/migrate.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { insertRecord } from "../api/open.ts";
import { ownDirectory } from "../store/open.ts";

const log = createLog({ level: "error", format: "text" });
const RULE = {
  name: "n",
  metric: "requests",
  comparison: "above",
  threshold: 0,
  window_seconds: 600,
  calendar: null,
  time_zone: null,
  filter: "all",
  group_by: ["user"],
  minimum_requests: 0,
  cooldown_seconds: 0,
  channels: [{ type: "webhook", url: "http://127.0.0.1:9/" }],
  enabled: true,
} as const;
const PAGE = { limit: 100, offset: 0 };

async function opened(directory: ReturnType<typeof ownDirectory>) {
  const { config } = directory;
  const store = await openStore(config, "write");
  await migrate(store);
  const checker = async () => {
    const own = await openStore(config, "write");
    const reader = await openStore(config, "current");
    return { stores: [own, reader], checker: new AlertChecker({ config, log, reader, writer: async () => own }) };
  };
  return { store, checker };
}

const put = async (store: Store, changes: object = {}) =>
  (
    await putAlert(
      store.records,
      { organizationId: "o", by: SYSTEM },
      {
        ...RULE,
        group_by: [...RULE.group_by],
        channels: [...RULE.channels],
        ...changes,
      },
    )
  ).alert;

const record = (store: Store, user: string, time = Date.now()) =>
  insertRecord(store, "o", { user_id: user, request_created_at: time });

test("two that check at the same time note every event once, and each is delivered once", async () => {
  using directory = ownDirectory();
  const { store, checker } = await opened(directory);
  const { id } = await put(store);
  for (const user of ["a", "b", "c"]) await record(store, user);
  const [one, other] = [await checker(), await checker()];
  await Promise.all([one.checker.checkAll(), other.checker.checkAll()]);
  await Promise.all([one.checker.checkAll(), other.checker.checkAll()]);
  const history = await alertHistory(store.records, id, PAGE);
  expect(history.map(({ kind, group }) => [kind, group["user"]]).sort()).toEqual([
    ["triggered", "a"],
    ["triggered", "b"],
    ["triggered", "c"],
  ]);
  await store.records.batch([{ sql: "delete from requests", args: [] }]);
  await Promise.all([one.checker.checkAll(), other.checker.checkAll()]);
  const later = await alertHistory(store.records, id, PAGE);
  expect(
    later
      .slice(0, 3)
      .map(({ kind, group }) => [kind, group["user"]])
      .sort(),
  ).toEqual([
    ["resolved", "a"],
    ["resolved", "b"],
    ["resolved", "c"],
  ]);
  expect([later.length, (await listDeliveries(store.records, id, PAGE)).length]).toEqual([6, 6]);
  expect((await findAlert(store.records, id))?.error).toBe(null);
  for (const each of [...one.stores, ...other.stores, store]) await each.close();
});

test("only requests within the window and of the organization count", async () => {
  using directory = ownDirectory();
  const { store, checker } = await opened(directory);
  const { id } = await put(store);
  await record(store, "late", Date.now() - 601_000);
  await insertRecord(store, "another", { user_id: "theirs", request_created_at: Date.now() });
  await record(store, "own", Date.now() - 300_000);
  const one = await checker();
  await one.checker.checkAll();
  expect((await firingOf(store.records, { alertId: id })).map(({ group }) => group)).toEqual([{ user: "own" }]);
  for (const each of [...one.stores, store]) await each.close();
});

test("the time to the first token and the speed of streams are watched", async () => {
  using directory = ownDirectory();
  const { store, checker } = await opened(directory);
  const late = await put(store, { metric: "time_to_first_token_p95", threshold: 1_000 });
  const slow = await put(store, { metric: "tokens_per_second_p50", comparison: "below", threshold: 30 });
  const stream = (user_id: string, time_to_first_token: number) =>
    insertRecord(store, "o", {
      ...{ user_id, time_to_first_token, completion_tokens: 20, delay_ms: time_to_first_token + 1_000 },
      request_created_at: Date.now(),
    });
  await stream("late", 1_500);
  await stream("soon", 200);
  const one = await checker();
  await one.checker.checkAll();
  const firing = async (alertId: string) =>
    (await firingOf(store.records, { alertId })).map(({ group, value }) => [group["user"], value]).sort();
  expect(await firing(late.id)).toEqual([["late", 1_500]]);
  expect(await firing(slow.id)).toEqual([
    ["late", 20],
    ["soon", 20],
  ]);
  for (const each of [...one.stores, store]) await each.close();
});

test("the mean of a score is watched, of those that have it", async () => {
  using directory = ownDirectory();
  const { store, checker } = await opened(directory);
  const { id } = await put(store, { metric: "score:help ful", comparison: "below", threshold: 0.5 });
  const scored = (user_id: string, scores: object) =>
    insertRecord(store, "o", { user_id, scores: JSON.stringify(scores), request_created_at: Date.now() });
  await scored("low", { "help ful": 0.25 });
  await scored("low", {});
  await scored("high", { "help ful": 1 });
  const one = await checker();
  await one.checker.checkAll();
  const firing = await firingOf(store.records, { alertId: id });
  expect(firing.map(({ group, value }) => [group["user"], value])).toEqual([["low", 0.25]]);
  for (const each of [...one.stores, store]) await each.close();
});

test("an alert that cannot be checked shows the reason, and the others are checked", async () => {
  using directory = ownDirectory();
  const { store, checker } = await opened(directory);
  const broken = await put(store);
  await store.records.batch([
    { sql: "update alerts set filter = ? where id = ?", args: ['{"no_group":{}}', broken.id] },
  ]);
  const sound = await put(store);
  await record(store, "a");
  const one = await checker();
  await one.checker.checkAll();
  expect((await findAlert(store.records, broken.id))?.error).toContain("no_group");
  expect(await findAlert(store.records, sound.id)).toMatchObject({ error: null, checked_at: expect.any(Number) });
  expect((await firingOf(store.records, { alertId: sound.id })).length).toBe(1);
  for (const each of [...one.stores, store]) await each.close();
});

test("a firing group is resolved when the alert is switched off, and fires again when it is switched on", async () => {
  using directory = ownDirectory();
  const { store, checker } = await opened(directory);
  const alert = await put(store);
  await record(store, "a");
  const one = await checker();
  await one.checker.checkAll();
  const { channels, ...rule } = alert;
  await putAlert(
    store.records,
    { organizationId: "o", by: SYSTEM, previous: alert },
    { ...rule, channels: [...channels], enabled: false },
  );
  await one.checker.checkAll();
  await putAlert(
    store.records,
    { organizationId: "o", by: SYSTEM, previous: alert },
    { ...rule, channels: [...channels], enabled: true },
  );
  await one.checker.checkAll();
  const history = await alertHistory(store.records, alert.id, PAGE);
  expect(history.map(({ kind }) => kind)).toEqual(["triggered", "resolved", "triggered"]);
  expect(history[1]!.reason).toBe("the alert was switched off");
  for (const each of [...one.stores, store]) await each.close();
});
