import { expose } from "../../src/runtime/rpc.ts";
import { threadStart } from "../../src/runtime/thread.ts";

/** A thread that says which one it is, and ends on request. */
const { options, port } = threadStart<{ number: number; fails?: boolean }>();
expose(port, {
  ready: async () => {
    if (options.fails) throw Object.assign(new Error("not today"), { code: "EADDRINUSE" });
  },
  number: async () => options.number,
  slow: () => new Promise(() => undefined),
  throws: () => void setTimeout(() => die(), 0),
  stop: async () => undefined,
});

function die(): never {
  throw new Error("a bug");
}
