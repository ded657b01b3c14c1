import { threadCpuUsage } from "node:process";
import { CutOff, guarded } from "./guard.ts";

/** Does one step of preparing a record whose bodies have so many bytes. @throws where it takes too long. */
export type TimeLimit = <R>(bytes: number, step: () => R) => R;

/** CPU milliseconds of one step. */
export const STEP_MS = 1_000;
/**
 * Asking for the CPU time costs as much as the limit itself. Smaller bodies are tried without, for this part of the time,
 * which is far more than they need; what is cut off then is done again.
 */
const MEASURED_BYTES_MIN = 32 * 1024;
const UNMEASURED_PART = 0.25;
/** By the clock a step may take many times its CPU time; one that had this part of it was busy. */
const BUSY_PART = 0.5;

/** A step was cut off that may hardly have been on the CPU. */
class Waited extends Error {}

/**
 * Does work whose steps are bounded by CPU time. Steps are cut off by the clock, so work that had to wait for the CPU
 * starts over with more time.
 *
 * @throws CutOff where a step had its time, or what it threw.
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

/** Bytes of all bodies of exchanges that are read in one step. */
export const TOGETHER_BYTES_MAX = MEASURED_BYTES_MIN;

/**
 * Does short steps one after the other under one limit, for setting one costs as much as reading a small body. Each step
 * keeps its own result; where the limit cuts one off, or one throws, the rest is left undone.
 */
export function together(steps: () => void): void {
  try {
    unmeasured(steps, STEP_MS * UNMEASURED_PART);
  } catch {
    return; // what is left undone is done alone, and then says what is wrong
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
