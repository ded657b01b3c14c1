import { expect, test } from "bun:test";
import { begin } from "../spool/journal.ts";
import { pass, rig } from "./harness.ts";

/** More bytes than the recorder takes into one batch; so few records that a slow machine has them within its 10 s as well. */
const BACKLOG = 24;
const BODY = "x".repeat(1024 * 1024);

test("removing what is old does not wait for a recorder that lags, and everything else does", async () => {
  await using weir = await rig();
  const old = pass(weir.spool);
  await weir.recorder.barrier();
  for (let count = 0; count < BACKLOG; count++) pass(weir.spool, { response: BODY });
  const recent = pass(weir.spool);
  const organizationId = begin({}).organization;
  const order: string[] = [];
  const noted = (name: string, work: Promise<number>) => work.then((count) => void order.push(`${name} ${count}`));
  await Promise.all([
    noted("recent", weir.recorder.remove({ organizationId, requestIds: [recent] })),
    noted("old", weir.recorder.remove({ organizationId, requestIds: [old], when: "next" })),
    noted("compact", weir.recorder.maintain({ kind: "compact", pages: 0 })),
  ]);
  expect(order[0]).toBe("old 1");
  expect(order.at(-1)).toBe("recent 1");
  expect((await weir.recorder.status()).recorded).toBe(BACKLOG + 2);
});
