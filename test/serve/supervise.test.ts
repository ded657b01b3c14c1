import { expect, test } from "bun:test";
import { startThread } from "../../src/runtime/thread.ts";
import { Supervised } from "../../src/serve/supervise.ts";
import { keptLog } from "../plugin-host/folder.ts";

type Functions = {
  ready(): Promise<void>;
  number(): Promise<number>;
  slow(): Promise<void>;
  throws(): void;
  stop(): Promise<void>;
};

function supervised(fails = false) {
  let number = 0;
  const { log, lines } = keptLog();
  const thread = new Supervised<Functions>({
    name: "test",
    start: () => startThread("test/serve/dying-thread.ts", { number: ++number, fails }),
    onStarted: (remote) => remote.ready(),
    log,
  });
  return { thread, lines, starts: () => number };
}

test("a thread that dies is started again; calls in flight fail, later ones wait for the new one", async () => {
  const { thread, lines } = supervised();
  const remote = await thread.started();
  const calls = thread.forward(["number", "slow"]);
  expect(await calls.number()).toBe(1);
  const inFlight = calls.slow();
  await remote.throws();
  await expect(inFlight).rejects.toThrow("the test thread ended: a bug");
  expect(await calls.number()).toBe(2);
  expect(lines.join("")).toContain("a bug");
  expect(thread.trouble).toBeUndefined();
  expect(await thread.stop("stop", 30_000)).toBe(true);
});

test("a thread that cannot start is not started again, and its reason is reported with its code", async () => {
  const { thread, lines } = supervised(true);
  await expect(thread.started()).rejects.toMatchObject({ message: "not today", code: "EADDRINUSE" });
  expect(lines).toEqual([]);
});

test("a thread that is stopped stays stopped", async () => {
  const { thread, starts } = supervised();
  const { thread: other } = supervised();
  const [remote, otherRemote] = await Promise.all([thread.started(), other.started()]);
  expect(await thread.stop("stop", 30_000)).toBe(true);
  await remote.throws();
  await expect(remote.slow()).rejects.toThrow("ended");
  // Another thread that dies after this one is up again: this one would be as well.
  const calls = other.forward(["number", "slow"]);
  const inFlight = calls.slow();
  await otherRemote.throws();
  await expect(inFlight).rejects.toThrow("ended");
  expect(await calls.number()).toBe(2);
  expect(starts()).toBe(1);
  expect(thread.trouble).toBeUndefined();
});
