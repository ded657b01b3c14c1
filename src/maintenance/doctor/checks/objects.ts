import { randomUUID } from "node:crypto";
import type { Config } from "../../../config.ts";
import { messageOf } from "../../../log.ts";
import { lostObjects } from "../../../store/objects/lost.ts";
import { openObjectStore } from "../../../store/objects/open-objects.ts";
import type { S3Store } from "../../../store/objects/s3-store.ts";
import { openStore } from "../../../store/store.ts";
import { regionsOf } from "../../database-places.ts";
import { type Check, type CheckResult, fail, ok, warn } from "../finding.ts";

/** Stores reject signatures whose time is far from theirs; even a second is worth a warning. */
const CLOCK_WARN_MS = 1_000;
/** Number of names in the finding. */
const NAMED_MAX = 3;
/** The time header has whole seconds. */
const CLOCK_KNOWN_MS = 1_000;

/** Whether the object store stores, returns and deletes an object, and whether its clock is right. */
export const objectsCheck: Check = {
  name: "object store",
  async run({ config, thorough }) {
    const outcomes: CheckResult[] = [];
    for (const { config: theirs } of regionsOf(config)) {
      outcomes.push(...(await checkStore(theirs)));
      if (thorough) outcomes.push(...(await checkThere(theirs)));
    }
    return outcomes.length > 0 ? outcomes : [ok("none: bodies are kept with the records")];
  },
};

async function checkStore(config: Config): Promise<CheckResult[]> {
  const store = openObjectStore(config);
  if (store === undefined) return [];
  const fix = "check [bodies] in the configuration, the key's rights to the bucket, and the network";
  try {
    const outcomes = [await checkObject(store, `${config.bodies_prefix}doctor/${randomUUID()}`)];
    const differenceMs = await store.clockDifferenceMs();
    if (differenceMs !== undefined && Math.abs(differenceMs) > CLOCK_WARN_MS + CLOCK_KNOWN_MS) {
      const seconds = (Math.abs(differenceMs) / 1_000).toFixed(0);
      const message = `the clock of ${store.place} is ${seconds} s ${differenceMs > 0 ? "ahead of" : "behind"} this machine's`;
      outcomes.push(warn(message, "set both by NTP: a store refuses requests with a clock difference of minutes"));
    }
    return outcomes;
  } catch (error) {
    return [fail(messageOf(error), fix)];
  }
}

/** Whether every object in the database is in the store, with its size. */
async function checkThere(config: Config): Promise<CheckResult[]> {
  const objects = openObjectStore(config);
  if (objects === undefined) return [];
  const store = await openStore(config, "read");
  try {
    const lost = await lostObjects(store.bodies, objects);
    if (lost.length === 0) return [ok(`${objects.place}: every object is there`)];
    const named = lost.slice(0, NAMED_MAX).join(", ");
    const message = `${objects.place}: ${lost.length} objects are missing or cut, among them ${named}; the bodies in them are lost`;
    return [warn(message, "restore them from a copy of the bucket; check the bucket for rules that delete by age")];
  } catch (error) {
    return [warn(`cannot check whether every object is there: ${messageOf(error)}`, "see the earlier findings")];
  } finally {
    await store.close();
  }
}

async function checkObject(store: S3Store, name: string): Promise<CheckResult> {
  const content = Buffer.from(`written by weir doctor ${name}`);
  const startedMs = performance.now();
  await store.put(name, content);
  const whole = await store.get(name, { offset: 0, length: content.length });
  const part = await store.get(name, { offset: 8, length: 2 });
  const listed = (await store.list(name).next()).value;
  await store.remove(name);
  const isRead = whole !== undefined && Buffer.compare(whole, content) === 0;
  const isPart = part !== undefined && Buffer.from(part).toString() === "by";
  if (!isRead || !isPart) {
    const message = `${store.place} returned other bytes than were written${isRead ? " for a range" : ""}`;
    return fail(message, "use a store that has PUT, ranged GET, LIST v2 and DELETE of S3");
  }
  if (!listed?.some((object: { name: string }) => object.name === name)) {
    return fail(`${store.place} does not list the written object`, "give the key the right to list the bucket");
  }
  if ((await store.get(name, { offset: 0, length: 1 })) !== undefined) {
    return fail(`${store.place} still has the deleted object`, "give the key the right to delete objects");
  }
  const ms = Math.round(performance.now() - startedMs);
  return ok(`${store.place}: wrote, read, listed and deleted an object in ${ms} ms`);
}
