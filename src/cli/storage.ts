import * as fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { engineSink } from "../engine/writer.ts";
import { erase } from "../jobs/retention/erasing.ts";
import { Pace } from "../jobs/retention/pace.ts";
import { configuredLog } from "../log.ts";
import { databasePlaces } from "../maintenance/database-places.ts";
import { lockDirectory } from "../store/database/lock.ts";
import { rewriteFile } from "../store/database/snapshot.ts";
import { leaveSegments } from "../store/leave-segments.ts";
import { packsHere } from "../store/objects/moving.ts";
import { erasedBy, orderErasure, packsToErase } from "../store/retention/erasure.ts";
import { leftToMove } from "../store/retention/move.ts";
import { leftToFill, readUnfilled } from "../store/words/unfilled.ts";
import type { Run } from "./command.ts";
import { regionConfig } from "./region.ts";
import { CommandError } from "./usage-error.ts";
import { withStore } from "./with-store.ts";

/** How long to wait for the service; after that it continues in the background. */
const ERASE_MS = 600_000;
const LOOK_MS = 200;

/** A running service erases; without one this command does. */
export const eraseStorageCommand: Run = async (invocation) => {
  const config = regionConfig(invocation);
  const journal = await withStore(config, async (store) => {
    const lock = lockDirectory(config.data_dir);
    if (lock !== undefined) {
      try {
        const sink = engineSink({ store, config });
        await erase((task) => sink.maintain(task), new Pace(), true);
        return await leaveSegments(config, store.records, configuredLog(config, { component: "storage" }));
      } finally {
        lock.release();
      }
    }
    const order = await orderErasure(store.records);
    for (const endsAt = Date.now() + ERASE_MS; ; await sleep(LOOK_MS)) {
      const erased = await erasedBy(store.records, order);
      if (erased !== undefined) return erased.journal;
      if (Date.now() > endsAt)
        throw new CommandError("the service has not erased all of it yet; it continues in the background");
    }
  });
  invocation.terminal.err(
    journal
      ? "no deleted bytes are left in the database's files and the journal\n"
      : "no deleted bytes are left in the database's files; the journal still has requests that are not completely recorded, and keeps their segments until they are\n",
  );
  return 0;
};

/** The remaining background work; reads a few rows. */
export const storageProgressCommand: Run = async (invocation) => {
  const config = regionConfig(invocation);
  await withStore(config, async ({ records, bodies }) => {
    const progress = {
      packs_to_erase: await packsToErase(bodies),
      requests_to_move: await leftToMove(bodies),
      ...(config.bodies_engine === "s3" && { packs_to_objects: await packsHere(bodies) }),
      records_to_fill: leftToFill(await readUnfilled(records)),
    };
    invocation.terminal.out(`${JSON.stringify(progress)}\n`);
  });
  return 0;
};

/** Rewrites every database file without its free pages. */
export const compactCommand: Run = async ({ config, terminal }) => {
  const lock = lockDirectory(config.data_dir);
  if (lock === undefined) {
    throw new CommandError("the service is running: stop it first. It releases most empty pages by itself");
  }
  try {
    for (const { path, name, kind } of databasePlaces(config)) {
      if (!fs.existsSync(path)) continue;
      const before = sizeOf(path) + sizeOf(`${path}-wal`);
      await rewriteFile(path, kind);
      terminal.err(`${name}: ${megabytes(before)} before, ${megabytes(sizeOf(path))} now\n`);
    }
  } finally {
    lock.release();
  }
  return 0;
};

const sizeOf = (path: string) => fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0;
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
