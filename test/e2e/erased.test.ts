import { expect, test } from "bun:test";
import { chance } from "../chance.ts";
import { temporaryDirectory } from "../directory.ts";
import { storedFiles } from "./stored.ts";
import { callApi, gatewayHeaders, queryIds, recordOf, runCommand, startWeir, type Weir } from "./weir.ts";

const LIMIT_MS = 300_000;
const random = chance("erased");
/** Text that is in nothing else. */
const marker = () => random.bytes(24).toString("hex");

/** Files under a directory that hold these bytes. */
function filesWith(directory: string, text: string): string[] {
  return storedFiles(directory).flatMap(({ path, content }) => (content.includes(text) ? [path] : []));
}

async function send(weir: Weir, target: string, marker: string): Promise<string> {
  const response = await fetch(`${weir.gateway}/v1/chat/completions`, {
    method: "POST",
    headers: { ...gatewayHeaders(target), "content-type": "application/json", "x-marker": marker },
    body: JSON.stringify({ model: "m-1", messages: [{ role: "user", content: `keep ${marker} to yourself` }] }),
  });
  await response.arrayBuffer();
  const id = response.headers.get("gateway-id")!;
  await recordOf(weir, id, LIMIT_MS);
  return id;
}

const remove = (weir: Weir, id: string) =>
  callApi(weir, "/v1/request", { method: "DELETE", body: JSON.stringify({ requestIds: [id] }) });

test.concurrent(
  "after `weir storage erase` no file holds what was deleted, with a running service or without, and the rest is there",
  async () => {
    using directory = temporaryDirectory();
    const dataDirectory = directory.path;
    using upstream = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: async (request) => new Response(await request.text(), { headers: { "content-type": "application/json" } }),
    });
    const target = `http://127.0.0.1:${upstream.port}`;
    const [kept, gone, later] = [marker(), marker(), marker()];
    const erased = "no deleted bytes are left in the database's files and the journal\n";
    let weir = await startWeir({ dataDirectory });
    try {
      const keptId = await send(weir, target, kept);
      const goneId = await send(weir, target, gone);
      expect(filesWith(dataDirectory, gone)).not.toEqual([]);
      expect((await remove(weir, goneId)).status).toBe(200);
      expect(await runCommand(weir.env, "storage", "erase")).toMatchObject({ status: 0, stderr: erased });
      expect(filesWith(dataDirectory, gone)).toEqual([]);

      // In the journal of a service that is stopped, too.
      const laterId = await send(weir, target, later);
      expect((await remove(weir, laterId)).status).toBe(200);
      expect(await weir.stop()).toBe(0);
      expect(filesWith(dataDirectory, later)).not.toEqual([]);
      expect(await runCommand(weir.env, "storage", "erase")).toMatchObject({ status: 0, stderr: erased });
      expect(filesWith(dataDirectory, later)).toEqual([]);

      weir = await startWeir({ dataDirectory });
      const newId = await send(weir, target, marker());
      const [record] = await queryIds(weir, [keptId, goneId, laterId]);
      expect(record).toMatchObject({
        request_id: keptId,
        request_body: { messages: [{ content: `keep ${kept} to yourself` }] },
      });
      expect(await queryIds(weir, [keptId, goneId, laterId, newId])).toHaveLength(2);
      const ready = (await (await fetch(`${weir.api}/readyz`)).json()) as object;
      expect(JSON.stringify(ready)).not.toContain("missing");
      expect(weir.log()).not.toMatch(/torn|damaged|missing/);
    } finally {
      await weir.stop();
    }
  },
  LIMIT_MS,
);

test.concurrent(
  "a request in flight keeps its segment, and the command says so",
  async () => {
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
    const { promise: arrived, resolve: hasArrived } = Promise.withResolvers<void>();
    using upstream = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      idleTimeout: 0,
      fetch: async (request) => {
        if (request.headers.has("x-hold")) {
          hasArrived();
          await held;
        }
        return Response.json({ ok: true });
      },
    });
    const target = `http://127.0.0.1:${upstream.port}`;
    await using weir = await startWeir();
    const open = fetch(`${weir.gateway}/v1/slow`, { headers: { ...gatewayHeaders(target), "x-hold": "1" } });
    await arrived;
    const gone = marker();
    expect((await remove(weir, await send(weir, target, gone))).status).toBe(200);
    const { status, stderr } = await runCommand(weir.env, "storage", "erase");
    expect({ status, stderr }).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("the journal still has requests"),
    });
    letGo();
    const id = (await open).headers.get("gateway-id")!;
    await recordOf(weir, id, LIMIT_MS);
    expect(await runCommand(weir.env, "storage", "erase")).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("and the journal\n"),
    });
    expect(filesWith(weir.dataDirectory, gone)).toEqual([]);
  },
  LIMIT_MS,
);
