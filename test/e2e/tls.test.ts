import { expect, setDefaultTimeout, test } from "bun:test";
import { appendFileSync, cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../until.ts";
import { KEY, ROOT, startWeir } from "./weir.ts";

setDefaultTimeout(300_000);

const pem = (name: string) => join(ROOT, "test/runtime/fixtures", name);
const TLS = { WEIR_TLS_CERT_FILE: pem("cert.pem"), WEIR_TLS_KEY_FILE: pem("key.pem") };
const over = (init: RequestInit = {}) => ({ ...init, tls: { rejectUnauthorized: false } }) as RequestInit;

test("both listeners speak TLS, in every gateway thread, and cookies are Secure with the prefix of their host", async () => {
  await using weir = await startWeir({
    env: { ...TLS, ...(process.platform === "linux" && { WEIR_GATEWAY_THREADS: "2" }) },
  });
  const [gateway, api] = [`https://127.0.0.1:${weir.gatewayPort}`, `https://127.0.0.1:${weir.apiPort}`];
  const headers = { host: "echo.localhost", "gateway-auth": `Bearer ${KEY}`, "content-type": "application/json" };
  const body = JSON.stringify({ model: "echo", messages: [{ role: "user", content: "hello" }] });
  for (let count = 0; count < 8; count++) {
    const response = await fetch(`${gateway}/v1/chat/completions`, over({ method: "POST", headers, body }));
    expect([response.status, (await response.json()).choices[0].message.content]).toEqual([200, "hello"]);
  }
  for (const plain of [gateway, api]) {
    const response = await fetch(`${plain.replace("https:", "http:")}/v1/me`);
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining("this port speaks TLS: use an https:// address"),
    ]);
  }
  const own = { origin: api, "sec-fetch-site": "same-origin", "content-type": "application/json" };
  const login = await fetch(
    `${api}/v1/session`,
    over({ method: "POST", headers: own, body: JSON.stringify({ key: KEY }) }),
  );
  expect(login.status).toBe(200);
  const cookie = login.headers.get("set-cookie")!;
  expect(cookie).toMatch(/^__Host-weir_session_\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+; Secure$/);
  const session = await (await fetch(`${api}/v1/session`, over({ headers: { cookie: cookie.split(";")[0]! } }))).json();
  expect([session.data.gateway_url, session.data.api_url]).toEqual([gateway, api]);
  expect(weir.log()).toContain(`"dashboard":"${api}"`);
});

test("a renewed certificate is in use without a restart, and the audit log has it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "weir-tls-"));
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  cpSync(pem("cert.pem"), cert);
  cpSync(pem("key.pem"), key);
  await using weir = await startWeir({ env: { WEIR_TLS_CERT_FILE: cert, WEIR_TLS_KEY_FILE: key } });
  appendFileSync(cert, "\n");
  const entries = async () => {
    const headers = { authorization: `Bearer ${KEY}` };
    const url = `https://127.0.0.1:${weir.apiPort}/v1/audit?action=config.reloaded`;
    return (await (await fetch(url, over({ headers }))).json()).data;
  };
  await until(
    async () => (await entries()).length > 0,
    180_000,
    () => weir.log(),
  );
  expect(await entries()).toMatchObject([
    { action: "config.reloaded", actor: { kind: "system" }, object: { kind: "certificate", name: "cert.pem" } },
  ]);
  rmSync(folder, { recursive: true });
});

test("a start with two files that are no pair, or with one of them, fails with the reason", async () => {
  const mismatch = { ...TLS, WEIR_TLS_KEY_FILE: pem("other-key.pem") };
  await expect(startWeir({ env: mismatch })).rejects.toThrow("the key is not that of the certificate");
  await expect(startWeir({ env: { WEIR_TLS_CERT_FILE: TLS.WEIR_TLS_CERT_FILE } })).rejects.toThrow("tls_key_file");
});
