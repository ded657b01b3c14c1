import { platform } from "./platform.ts";

type Attributes = NodeJS.TypedArray;

/** Linux calls that node does not offer. Threads are given by their kernel id; 0 is the calling one. */
interface Kernel {
  /** Any system call by number; here with a thread, a structure and flags. */
  syscall(number: number, thread: number, attributes: Attributes, flags: number): unknown;
  /** Gets the cores that a thread may use, one bit each. @returns less than 0 on failure. */
  sched_getaffinity(thread: number, bytes: number, cores: Attributes): number;
  sched_setaffinity(thread: number, bytes: number, cores: Attributes): number;
  /** On a socket that listens already it changes the number of waiting connections. @returns less than 0 on failure. */
  listen(descriptor: number, backlog: number): number;
}

let opened: Kernel | undefined;

/** @returns undefined on other systems, and on Deno, which requires a separate permission. @throws if there is no glibc. */
export function kernel(): Kernel | undefined {
  if (process.platform !== "linux") return undefined;
  opened ??= platform.openLibrary("libc.so.6", {
    syscall: { args: ["i64", "i64", "ptr", "i64"], returns: "i64" },
    sched_getaffinity: { args: ["i32", "u64", "ptr"], returns: "i32" },
    sched_setaffinity: { args: ["i32", "u64", "ptr"], returns: "i32" },
    listen: { args: ["i32", "i32"], returns: "i32" },
  })?.functions as Kernel | undefined;
  return opened;
}
