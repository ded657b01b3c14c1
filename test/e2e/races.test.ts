import { expect, test } from "bun:test";
import { chance } from "../chance.ts";
import { race } from "./races.ts";
import { startUpstream } from "./upstream.ts";

/** `bun bench/races.ts --seeds N` runs as many as wanted. */
test("under concurrent clients and a kill, records match the responses that clients received", async () => {
  await using upstream = await startUpstream();
  const seed = Math.floor(chance("races").number() * 2 ** 31);
  const { wrong, requests, changes } = await race(upstream, { seed, actions: 20, kills: 1 });
  expect({ seed, wrong }).toEqual({ seed, wrong: [] });
  expect(requests).toBeGreaterThan(10);
  expect(changes).toBeGreaterThan(10);
}, 300_000);
