import * as fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { erase } from "../jobs/retention/erasing.ts";
import { Pace } from "../jobs/retention/pace.ts";
import { lockDirectory } from "../store/database/lock.ts";
import { rewriteFile } from "../store/database/snapshot.ts";
import { orderErasure, packsToErase } from "../store/retention/erasure.ts";
import { maintain } from "../store/retention/maintain.ts";
import { leftToMove } from "../store/retention/move.ts";
import { leftToFill, readUnfilled } from "../store/words/unfilled.ts";
import { databasePlaces } from "../upkeep/places.ts";
import type { Run } from "./command.ts";
import { regionConfig } from "./region.ts";
import { CommandError } from "./usage.ts";
import { withStore } from "./with-store.ts";

/** How long the service is waited for; it goes on without anybody waiting. */
const ERASE_MS = 600_000;
const LOOK_MS = 200;

/** A running service does it, and without one it is done here. */
export const eraseStorageCommand: Run = async (invocation) => {
  const config = regionConfig(invocation);
  await withStore(config, async (store) => {
    const lock = lockDirectory(config.data_dir);
    if (lock !== undefined) {
      try {
        await erase((task) => maintain(store, task), new Pace());
      } finally {
        lock.release();
      }
    } else {
      await orderErasure(store.records);
      const endsAt = Date.now() + ERASE_MS;
      while ((await packsToErase(store.bodies)) > 0) {
        if (Date.now() > endsAt) throw new CommandError("the service has not erased all of it yet; it goes on with it");
        await sleep(LOOK_MS);
      }
    }
  });
  invocation.terminal.err("nothing of what was deleted is left in the database's files\n");
  return 0;
};

/** What is left of the work in the background; reads a few rows. */
export const storageProgressCommand: Run = async (invocation) => {
  await withStore(regionConfig(invocation), async ({ records, bodies }) => {
    const progress = {
      packs_to_erase: await packsToErase(bodies),
      requests_to_move: await leftToMove(bodies),
      records_to_fill: leftToFill(await readUnfilled(records)),
    };
    invocation.terminal.out(`${JSON.stringify(progress)}\n`);
  });
  return 0;
};

/** Writes every database file anew, without the pages that hold nothing. */
export const compactCommand: Run = async ({ config, terminal }) => {
  const lock = lockDirectory(config.data_dir);
  if (lock === undefined) {
    throw new CommandError("the service is running: stop it first. It gives empty pages back by itself, but for some");
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
