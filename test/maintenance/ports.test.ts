import { expect, test } from "bun:test";
import { once } from "node:events";
import { createServer } from "node:net";
import type { Config } from "../../src/config.ts";
import { serviceCheck } from "../../src/maintenance/doctor/checks/service.ts";
import { ownDirectory } from "../store/open.ts";

const ANY = { gateway_port: 0, api_port: 0 };

async function found(settings: Partial<Config>, running = false) {
  using directory = ownDirectory(settings);
  const [only, ...others] = await serviceCheck.run({ config: directory.config, running, thorough: false, env: {} });
  expect(others).toEqual([]);
  return only!;
}

test("doctor names the ports that it found free, and finds a taken one of each listener", async () => {
  expect((await found(ANY)).message).toBe("not running; a start takes any free ports");
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const pair = { ...ANY, eu_database_url: "file:eu.db", eu_gateway_port: 0, eu_api_port: 0 };
  const taken = [await found({ ...ANY, unified_port: port }), await found({ ...pair, eu_unified_port: port })];
  expect(taken.map(({ message }) => message)).toEqual([
    expect.stringContaining(`unified_port ${port} on`),
    expect.stringContaining(`eu_unified_port ${port} on`),
  ]);
  server.close();
  await once(server, "close");
  const { message } = await found({ ...ANY, unified_port: port });
  expect(message).toBe(`not running; free: unified_port ${port}`);
});

test("doctor asks for the port of a running service that took any", async () => {
  expect(await found(ANY, true)).toMatchObject({ verdict: "warn", fix: expect.stringContaining("WEIR_API_PORT") });
});
