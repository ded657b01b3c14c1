import { expect, test } from "bun:test";
import { chance } from "../chance.ts";
import { temporaryDirectory } from "../directory.ts";
import { startObjectStore, type TestStore } from "../objects/store.ts";
import { callApi, gatewayHeaders, recordOf, recordsOf, runCommand, startWeir, until, type Weir } from "./weir.ts";

const LIMIT_MS = 240_000;
const random = chance("objects e2e");

const variables = (store: TestStore): Record<string, string> => ({
  ...Object.fromEntries(
    Object.entries(store.settings).map(([key, value]) => [`WEIR_${key.toUpperCase()}`, String(value)]),
  ),
  WEIR_BODIES_SECRET_ACCESS_KEY: "env:STORE_SECRET",
  STORE_SECRET: store.settings.bodies_secret_access_key,
});

function startUpstream() {
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => new Response(await request.text(), { headers: { "content-type": "application/json" } }),
  });
}

async function send(weir: Weir, target: string, text: string): Promise<string> {
  const response = await fetch(`${weir.gateway}/v1/chat/completions`, {
    method: "POST",
    headers: { ...gatewayHeaders(target), "content-type": "application/json" },
    body: bodyOf(text),
  });
  expect(response.status).toBe(200);
  await response.arrayBuffer();
  return response.headers.get("gateway-id")!;
}

const bodyOf = (text: string) => JSON.stringify({ model: "m-1", messages: [{ role: "user", content: text }] });

async function health(weir: Weir) {
  const { data } = (await (await fetch(`${weir.api}/v1/health`)).json()) as {
    data: { degraded: string[]; bodies: { engine: string; behind: number; error: string | null } };
  };
  return data;
}

test.concurrent(
  "with the store away and a kill every request is recorded with its bodies, and what is deleted leaves the bucket",
  async () => {
    await using store = await startObjectStore();
    using directory = temporaryDirectory();
    await using upstream = startUpstream();
    const target = `http://127.0.0.1:${upstream.port}`;
    const options = { dataDirectory: directory.path, env: variables(store) };
    const sent = new Map<string, string>();
    const burst = async (weir: Weir) => {
      for (let round = 0; round < 2; round++) {
        const texts = Array.from({ length: 5 }, () => random.bytes(1_500).toString("base64"));
        const ids = await Promise.all(texts.map((text) => send(weir, target, text)));
        for (const [at, id] of ids.entries()) sent.set(id, texts[at]!);
      }
    };
    let weir = await startWeir(options);
    await burst(weir);
    const [first] = sent.keys();
    await recordOf(weir, first!, LIMIT_MS);
    await store.stop();
    await burst(weir);
    await until(
      async () => (await health(weir)).bodies.behind > 0,
      LIMIT_MS,
      () => "the health says that bodies are behind",
    );
    expect((await health(weir)).degraded.join()).toContain("[bodies] behind");
    await weir.kill();
    weir = await startWeir(options);
    // What was read before is in no memory of this process.
    const refused = await callApi(weir, `/v1/request/${first}/headers`);
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).not.toBeNull();
    await burst(weir);
    await store.start();
    try {
      await until(
        async () => (await callApi(weir, `/v1/request/${first}/headers`)).status === 200,
        LIMIT_MS,
        () => "bodies can be read again",
      );
      for (const record of await recordsOf(weir, [...sent.keys()], LIMIT_MS)) {
        const body = JSON.parse(bodyOf(sent.get(record["request_id"])!));
        expect(record).toMatchObject({ request_body: body, response_body: body });
      }
      expect((await health(weir)).bodies).toEqual({ engine: "s3", behind: 0, error: null });

      const marker = random.bytes(24).toString("hex");
      const gone = await send(weir, target, marker);
      await recordOf(weir, gone, LIMIT_MS);
      const bucketHas = async (text: string) => {
        const objects = [...(await store.all()).values()] as Buffer<ArrayBuffer>[];
        return objects.some((object) => Bun.zstdDecompressSync(object).includes(text));
      };
      expect(await bucketHas(marker)).toBe(true);
      const removed = await callApi(weir, "/v1/request", {
        method: "DELETE",
        body: JSON.stringify({ requestIds: [gone] }),
      });
      expect(removed.status).toBe(200);
      expect((await runCommand(weir.env, "storage", "erase")).status).toBe(0);
      expect(await bucketHas(marker)).toBe(false);
      expect((await recordOf(weir, first!, LIMIT_MS))["request_body"]).toEqual(JSON.parse(bodyOf(sent.get(first!)!)));
    } finally {
      await weir.stop();
    }
  },
  LIMIT_MS,
);

test.concurrent(
  "`weir migrate bodies` moves what is in the database, with a running service or without, and `weir doctor` tries the store",
  async () => {
    await using store = await startObjectStore();
    using directory = temporaryDirectory();
    await using upstream = startUpstream();
    const target = `http://127.0.0.1:${upstream.port}`;
    const dataDirectory = directory.path;
    let weir = await startWeir({ dataDirectory });
    const texts = ["before", "also before"];
    const ids = [await send(weir, target, texts[0]!), await send(weir, target, texts[1]!)];
    await recordOf(weir, ids[1]!, LIMIT_MS);
    expect(await runCommand(weir.env, "migrate", "bodies")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("bodies_engine is not s3"),
    });
    await weir.stop();
    weir = await startWeir({ dataDirectory, env: variables(store) });
    try {
      const left = async () => JSON.parse((await runCommand(weir.env, "storage", "progress")).stdout);
      expect((await left()).packs_to_objects).toBeGreaterThan(0);
      expect(await runCommand(weir.env, "migrate", "bodies")).toMatchObject({
        status: 0,
        stderr: expect.stringContaining("all bodies are in the object store\n"),
      });
      expect((await left()).packs_to_objects).toBe(0);
      for (const [at, id] of ids.entries()) {
        expect((await recordOf(weir, id, LIMIT_MS))["request_body"]).toEqual(JSON.parse(bodyOf(texts[at]!)));
      }
      const doctor = await runCommand(weir.env, "doctor");
      expect(doctor.stdout).toMatch(/ok +object store +bodies at 127\.0\.0\.1:\d+: wrote, read, listed and deleted/);
      const plan = await runCommand(weir.env, "backup", "--plan");
      expect(plan.stdout).toContain("rclone copy objects:bodies backup:bodies\nweir backup");
      await store.stop();
      expect((await runCommand(weir.env, "doctor")).stdout).toMatch(/fail +object store .*cannot be reached/);
    } finally {
      await weir.stop();
    }
  },
  LIMIT_MS,
);
