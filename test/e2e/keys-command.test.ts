import { expect, test } from "bun:test";
import { commandLine } from "../cli/terminal.ts";
import { startUpstream } from "./upstream.ts";
import { startWeir } from "./weir.ts";

test("a key works everywhere when the command that makes it returns, and nowhere when it was revoked", async () => {
  await using upstream = await startUpstream();
  await using weir = await startWeir({ env: { WEIR_GATEWAY_THREADS: "2" } });
  const { run } = commandLine(weir.env);
  const statuses = async (key: string) => {
    const headers = { "Gateway-Auth": `Bearer ${key}`, "Gateway-Target-Url": upstream.origin };
    const responses = await Promise.all([
      ...Array.from({ length: 4 }, () => fetch(`${weir.gateway}/x`, { headers, keepalive: false })),
      fetch(`${weir.api}/v1/session`, { headers: { Authorization: `Bearer ${key}` } }),
    ]);
    return responses.map(({ status }) => status);
  };
  for (let round = 0; round < 3; round++) {
    const { out, err } = await run("keys", "create", "--name", `round ${round}`);
    expect(await statuses(out.trim())).toEqual([200, 200, 200, 200, 200]);
    const [, id] = /\((\w[\w-]*)\)/.exec(err)!;
    expect((await run("keys", "revoke", id!)).status).toBe(0);
    expect(await statuses(out.trim())).toEqual([401, 401, 401, 401, 401]);
  }
}, 300_000);
