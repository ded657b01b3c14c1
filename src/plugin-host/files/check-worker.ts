import { messageOf } from "../../log.ts";
import { expose } from "../../runtime/rpc.ts";
import { threadStart } from "../../runtime/thread.ts";
import type { PluginKind } from "./check.ts";
import { loadFile } from "./load.ts";

/**
 * A throw-away thread that loads one file, so that a changed drop-in that loops, throws or does not parse cannot hurt
 * the threads that serve.
 */
export interface CheckOptions {
  readonly kind: PluginKind;
  readonly path: string;
}

export type CheckFunctions = {
  /** Null if the file loads and is valid, otherwise its error. */
  check(): Promise<string | null>;
};

const { options, port } = threadStart<CheckOptions>();
expose(port, {
  check: async () => {
    try {
      await loadFile(options.kind, options.path, false);
      return null;
    } catch (error) {
      return messageOf(error);
    }
  },
} satisfies CheckFunctions);
