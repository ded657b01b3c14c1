import { expect, test } from "bun:test";
import { openedCommandLine } from "./terminal.ts";

const LEAST = ["alerts", "create", "--name", "dear", "--metric", "cost"];

test("an alert is made, listed, and removed", async () => {
  const cli = await openedCommandLine();
  const filter = JSON.stringify({ request_response_rmt: { model: { equals: "m" } } });
  const made = await cli.run(
    ...LEAST,
    "--above",
    "5",
    "--window",
    "15m",
    "--group-by",
    "model,property:Team",
    "--filter",
    filter,
    "--webhook",
    "http://127.0.0.1:9/a",
  );
  expect(made.status).toBe(0);
  const id = made.out.trim();
  expect(made.err).toMatch(/^http:\/\/127\.0\.0\.1:9\/a is signed with whsec_\S{44}\n/);
  const listed = await cli.run("alerts", "list", "--json");
  expect(JSON.parse(listed.out)).toMatchObject([
    {
      id,
      name: "dear",
      comparison: "above",
      threshold: 5,
      window_seconds: 900,
      group_by: ["model", "property:Team"],
      filter: JSON.parse(filter),
      channels: [{ type: "webhook", url: "http://127.0.0.1:9/a" }],
      state: "ok",
    },
  ]);
  expect(listed.out).not.toContain("whsec_");
  expect((await cli.run("alerts", "list")).out).toContain("cost above 5");
  expect((await cli.run("alerts", "history", id)).err).toContain("nothing has triggered yet");
  expect((await cli.run("alerts", "delete", id)).status).toBe(0);
  expect((await cli.run("alerts", "delete", id)).status).toBe(1);
  expect((await cli.run("alerts", "list")).err).toContain("there are no alerts");
});

test("an alert counts by the calendar, notifies a chat and a pager, and warns without a channel", async () => {
  const cli = await openedCommandLine();
  const key = "0123456789abcdefABCDEF0123456789";
  const words = ["--above", "50", "--calendar", "day", "--time-zone", "Asia/Tokyo"];
  const made = await cli.run(...LEAST, ...words, "--slack", "http://127.0.0.1:9/a/secret", "--pagerduty", key);
  expect({ status: made.status, err: made.err }).toEqual({ status: 0, err: "" });
  const listed = await cli.run("alerts", "list", "--json");
  expect(JSON.parse(listed.out)).toMatchObject([
    {
      calendar: "day",
      time_zone: "Asia/Tokyo",
      channels: [{ type: "slack" }, { type: "pagerduty", address: "…6789" }],
    },
  ]);
  expect(listed.out).not.toMatch(/secret|0123456789/);
  expect((await cli.run("alerts", "list")).out).toContain("day, Asia/Tokyo");
  expect((await cli.run(...LEAST, "--above", "5")).err).toContain("sends no notifications");
});

test.each([
  [["--above", "5", "--window", "5m", "--calendar", "day"], "--window or --calendar"],
  [["--above", "5", "--calendar", "yaer"], '"yaer" is no calendar'],
  [["--above", "5", "--calendar", "day", "--time-zone", "Mars"], "Europe/Berlin"],
  [["--above", "5", "--pagerduty", "x"], "32 letters"],
  [["--above", "5", "--below", "3"], "--above or --below"],
  [[], "--above or --below"],
  [["--above", "much"], "--above takes a number"],
  [["--above", "5", "--window", "15"], "--window takes a time"],
  [["--above", "5", "--window", "1s"], "window_seconds"],
  [["--above", "5", "--group-by", "modle"], 'did you mean "model"'],
  [["--above", "5", "--filter", "{"], "--filter takes"],
  [["--above", "5", "--filter", '{"x":{}}'], '"x"'],
  [["--above", "5", "--webhook", "http://10.1.1.1/"], "10.1.1.1"],
  [["--above", "5", "--email", "a@b.test"], "WEIR_SMTP_URL"],
])("weir alerts create %p is refused in one line", async (words, line) => {
  const { status, out, err } = await (await openedCommandLine()).run(...LEAST, ...words);
  expect(err).toContain(line);
  expect(err.trimEnd()).not.toContain("\n");
  expect([status, out]).toEqual([2, ""]);
});

test("retention is set in parts, and shown", async () => {
  const cli = await openedCommandLine({ WEIR_RETENTION_DAYS: "90" });
  expect((await cli.run("retention", "show")).out).toBe(
    "records: 90 days, as configured\nbodies: forever, as configured\nno run yet\n",
  );
  await cli.run("retention", "set", "--days", "30", "--property", "Audit=a:b:365", "--property", "Env:forever/7");
  await cli.run("retention", "set", "--body-days", "7");
  const { out } = await cli.run("retention", "show", "--json");
  expect(JSON.parse(out)).toEqual({
    days: 30,
    body_days: 7,
    properties: [
      { property: "Audit", value: "a:b", days: 365, body_days: null },
      { property: "Env", value: null, days: 0, body_days: 7 },
    ],
    in_force: { days: 30, body_days: 7 },
    last_run: null,
  });
  await cli.run("retention", "set", "--no-properties", "--days", "default");
  expect(JSON.parse((await cli.run("retention", "show", "--json")).out)).toMatchObject({ days: null, properties: [] });
  expect((await cli.run("retention", "run")).out).toBe("0 records and the bodies of 0 were removed\n");
  expect((await cli.run("retention", "show")).out).toContain("last run 2");
});

test.each([
  [["retention", "set"], "needs --days"],
  [["retention", "set", "--days", "-1"], "--days"],
  [["retention", "set", "--days", "soon"], "--days takes"],
  [["retention", "set", "--property", "Audit"], "--property takes"],
  [["alerts", "history", "any", "--limit=-1"], "--limit takes a number of rows, not -1"],
  [["webhooks", "deliveries", "any", "--limit", "1.5"], "--limit takes a number of rows, not 1.5"],
])("%p is refused in one line", async (words, line) => {
  const { status, err } = await (await openedCommandLine()).run(...words);
  expect(err).toContain(line);
  expect(status).toBe(2);
});
