import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startUpstream } from "../e2e/upstream.ts";
import { KEY, recordOf, runCommand, startWeir, until } from "../e2e/weir.ts";

test("a client of the gateway before works with another address and key alone", async () => {
  await using upstream = await startUpstream();
  await using weir = await startWeir({ env: { WEIR_HEADER_ALIASES: "Acme" } });
  const made = await runCommand(weir.env, "keys", "create", "--name", "checkout", "--scopes", "gateway");
  const send = (headers: Readonly<Record<string, string>>) =>
    fetch(`${weir.gateway}/v1/chat/completions`, {
      method: "POST",
      headers: {
        "Acme-Auth": `Bearer ${made.stdout.trim()}`,
        "Acme-Property-Environment": "staging",
        "Acme-User-Id": "ann",
        "Content-Type": "application/json",
        ...headers,
      },
      body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "hi" }] }),
    });
  // Keys made by the command line count soon.
  await until(async () => (await send({ "Acme-Target-URL": upstream.origin })).status !== 401);
  for (const each of [
    await send({ "Acme-Target-URL": upstream.origin }),
    await send({ "Acme-OpenAI-Api-Base": upstream.origin }),
  ]) {
    expect(each.status).toBe(200);
    expect(each.headers.get("acme-id")).toBe(each.headers.get("gateway-id")!);
    const record = await recordOf(weir, each.headers.get("gateway-id")!);
    expect(record).toMatchObject({ request_user_id: "ann", gateway_user: "checkout" });
    expect(Object.values(record["properties"])).toEqual(["staging"]);
  }
  expect(upstream.seen.every(({ rawHeaders }) => !rawHeaders.some((name) => /^acme-/i.test(name)))).toBe(true);
}, 300_000);

test("records of the product before are imported as the page says, and a second time adds nothing", async () => {
  const folder = mkdtempSync(join(tmpdir(), "weir-migrating-"));
  await using weir = await startWeir();
  const id = "0190163d-8694-739b-aea5-966c26f8ad91";
  const record = {
    request_id: id,
    request_created_at: "2026-01-01T10:00:00.000Z",
    response_status: 200,
    provider: "OPENAI",
  };
  const file = join(folder, "old-export.jsonl");
  writeFileSync(
    file,
    `${JSON.stringify({ ...record, acme_user: "ci", properties: { "Acme-Property-Team": "blue" } })}\n`,
  );
  const env = { ...weir.env, WEIR_API_KEY: KEY, WEIR_API_URL: weir.api };
  for (let time = 0; time < 2; time++) {
    const { status, stderr } = await runCommand(env, "import", file, "--brand", "acme");
    expect([status, stderr]).toEqual([0, expect.any(String)]);
  }
  expect(await recordOf(weir, id)).toMatchObject({ gateway_user: "ci", properties: { Team: "blue" } });
  rmSync(folder, { recursive: true, force: true });
}, 300_000);
