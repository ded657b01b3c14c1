import { expect, test } from "bun:test";
import { createStrictUpstream } from "../../src/runtime/http/strict-upstream.ts";
import { OK, startProvider } from "../raw-http.ts";
import { until } from "../until.ts";
import { ask, loopback } from "./upstreams.ts";

const post = (path: string, body: string) =>
  ({
    method: "POST",
    framing: "length",
    path,
    headers: ["Host", "provider.test", "Content-Length", String(body.length)],
    body: Buffer.from(body),
  }) as const;

/** A provider, and an upstream whose turns end when `endTurn` is called. */
async function start() {
  const seen: string[] = [];
  const provider = await startProvider(({ head, body, socket }) => {
    seen.push(`${head.split(" ")[1]} ${body.toString("latin1")}`);
    socket.write(OK);
  });
  const works: (() => void)[] = [];
  const upstream = createStrictUpstream({ resolve: loopback, atTurnEnd: (work) => void works.push(work) });
  return {
    seen,
    works,
    send: (path: string, body: string) => ask(upstream, provider.port, post(path, body)),
    endTurn() {
      for (const work of works.splice(0)) work();
    },
    async [Symbol.asyncDispose]() {
      upstream.close();
      await provider[Symbol.asyncDispose]();
    },
  };
}

test("requests of one turn leave at its end, each whole on its own connection", async () => {
  await using run = await start();
  const { seen, works, send, endTurn } = run;
  const sendAll = (length: number) => ["a", "b", "c"].map((name) => send(`/${name}`, name.repeat(length)).done);
  const connecting = sendAll(10);
  while (seen.length < 3) {
    await until(() => works.length > 0 || seen.length === 3);
    endTurn();
  }
  await Promise.all(connecting);

  const done = sendAll(10_000);
  expect([works.length, seen.length]).toEqual([1, 3]);
  endTurn();
  for (const { error } of await Promise.all(done)) expect(error).toBeUndefined();
  expect(seen.slice(3).sort()).toEqual(["a", "b", "c"].map((name) => `/${name} ${name.repeat(10_000)}`));
});

test("a request that is aborted before the turn's end is not sent", async () => {
  await using run = await start();
  const { seen, works, send, endTurn } = run;
  const first = send("/first", "1");
  await until(() => works.length > 0);
  endTurn();
  await first.done;

  send("/aborted", "2").call.abort();
  const last = send("/last", "3");
  endTurn();
  await until(() => works.length > 0);
  endTurn();
  await last.done;
  expect(seen).toEqual(["/first 1", "/last 3"]);
});

test("what does not fit into a turn's buffer is sent immediately", async () => {
  await using run = await start();
  const { seen, works, send } = run;
  const body = "x".repeat(300_000);
  expect((await send("/large", body).done).error).toBeUndefined();
  expect([works.length, seen]).toEqual([0, [`/large ${body}`]]);
});
