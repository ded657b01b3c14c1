import { platform } from "./platform.ts";

type Attributes = NodeJS.TypedArray;

/** Calls to Linux for which node has no words. Threads go by their kernel's number, 0 is the calling one. */
interface Kernel {
  /** Any call by its number; here with a thread, a structure and flags. */
  syscall(number: number, thread: number, attributes: Attributes, flags: number): unknown;
  /** Fills in the cores that a thread may use, a bit each. @returns less than 0 if that failed. */
  sched_getaffinity(thread: number, bytes: number, cores: Attributes): number;
  sched_setaffinity(thread: number, bytes: number, cores: Attributes): number;
}

let opened: Kernel | undefined;

/** @returns undefined on other systems, and on Deno, where it takes a permission of its own. @throws where there is no glibc. */
export function kernel(): Kernel | undefined {
  if (process.platform !== "linux") return undefined;
  opened ??= platform.openLibrary("libc.so.6", {
    syscall: { args: ["i64", "i64", "ptr", "i64"], returns: "i64" },
    sched_getaffinity: { args: ["i32", "u64", "ptr"], returns: "i32" },
    sched_setaffinity: { args: ["i32", "u64", "ptr"], returns: "i32" },
  })?.functions as Kernel | undefined;
  return opened;
}
