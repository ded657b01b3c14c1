import { threadCpuUsage } from "node:process";
import { CutOff, guarded } from "./guard.ts";

/** Runs one step of preparing a record whose bodies have this many bytes. @throws if the step takes too long. */
export type TimeLimit = <R>(bytes: number, step: () => R) => R;

/** CPU milliseconds of one step. */
const STEP_MS = 1_000;
/**
 * Reading the CPU time costs as much as the limit itself. Steps on smaller bodies are first tried without it, within this
 * share of the time, which is far more than they need; a step that is cut off runs again with the measurement.
 */
const MEASURED_BYTES_MIN = 32 * 1024;
const UNMEASURED_PART = 0.25;
/** In wall-clock time a step may take many times its CPU time. A step that spent this share of the CPU limit was busy. */
const BUSY_PART = 0.5;

/** A step was cut off although it may hardly have had the CPU. */
class Waited extends Error {}

/**
 * Runs work whose steps are bounded by CPU time. Steps are cut off by wall-clock time, so work that waited for the CPU
 * starts again with more time.
 *
 * @throws CutOff if a step used up its time, or the step's own error.
 */
export async function withinLimit<R>(work: (within: TimeLimit) => Promise<R>, limitMs = STEP_MS): Promise<R> {
  try {
    return await work((bytes, step) =>
      bytes < MEASURED_BYTES_MIN ? unmeasured(step, limitMs * UNMEASURED_PART) : limited(step, limitMs, limitMs),
    );
  } catch (error) {
    if (!(error instanceof Waited)) throw error;
  }
  for (let wallMs = limitMs; ; wallMs *= 2) {
    try {
      return await work((_bytes, step) => limited(step, wallMs, limitMs));
    } catch (error) {
      if (!(error instanceof Waited)) throw error;
    }
  }
}

/** Maximum total bytes of the bodies that are read in one step. */
export const TOGETHER_BYTES_MAX = MEASURED_BYTES_MIN;

/**
 * Runs short steps in sequence under one limit, because setting a limit costs as much as reading a small body. Each step
 * keeps its own result; if the limit cuts one off, or one throws, the remaining steps do not run.
 */
export function together(steps: () => void): void {
  try {
    unmeasured(steps, STEP_MS * UNMEASURED_PART);
  } catch {
    return; // the remaining steps then run one by one and report their own errors
  }
}

function unmeasured<R>(step: () => R, wallMs: number): R {
  try {
    return guarded(step, undefined, wallMs);
  } catch (error) {
    throw error instanceof CutOff ? new Waited() : error;
  }
}

function limited<R>(step: () => R, wallMs: number, limitMs: number): R {
  const before = threadCpuUsage();
  try {
    return guarded(step, undefined, wallMs);
  } catch (error) {
    const { user, system } = threadCpuUsage(before);
    const isBusy = (user + system) / 1_000 >= limitMs * BUSY_PART;
    if (error instanceof CutOff && !isBusy) throw new Waited();
    throw error;
  }
}
