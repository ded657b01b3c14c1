import { expect, test } from "bun:test";
import { SMTPServer } from "smtp-server";
import type { Json } from "../../src/plugin-host/contract.ts";
import { callApi, runCommand, startWeir } from "./weir.ts";

const PASSWORD = "a-planted-mail-password";

test("an alert writes through a mail server that wants a password, which is shown nowhere", async () => {
  const mails: string[] = [];
  const logins: string[] = [];
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, done) {
      logins.push(`${username} ${password}`);
      if (password === PASSWORD) done(null, { user: username });
      else done(new Error("wrong"));
    },
    onData(stream, _session, done) {
      let text = "";
      stream.on("data", (chunk) => {
        text += chunk;
      });
      stream.on("end", () => {
        mails.push(text);
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as { port: number };
  await using weir = await startWeir({
    env: { WEIR_SMTP_URL: `smtp://weir:${PASSWORD}@127.0.0.1:${port}`, WEIR_SMTP_FROM: "weir@weir.test" },
  });
  const call = async (path: string, body?: object) => {
    const response = await callApi(weir, path, { method: "POST", ...(body && { body: JSON.stringify(body) }) });
    return ((await response.json()) as Json).data;
  };
  const alert = await call("/v1/alerts", {
    name: "Grüße",
    metric: "cost",
    comparison: "above",
    threshold: 5,
    window_seconds: 300,
    channels: [{ type: "email", to: "ops@weir.test" }],
  });
  expect(await call(`/v1/alerts/${alert.id}/test`)).toMatchObject([{ state: "delivered", attempts: 1 }]);
  expect(logins).toEqual([`weir ${PASSWORD}`]);
  expect(mails[0]).toContain("To: ops@weir.test");

  const tested = await runCommand(weir.env, "alerts", "test", alert.id, "--json");
  expect([tested.status, JSON.parse(tested.stdout)]).toMatchObject([0, [{ to: "ops@weir.test", state: "delivered" }]]);
  const shown = await runCommand(weir.env, "config");
  expect(shown.stdout).toContain("smtp_from");
  for (const text of [shown.stdout, weir.output()]) expect(text).not.toContain(PASSWORD);
  await new Promise<void>((resolve) => server.close(resolve));
}, 300_000);
