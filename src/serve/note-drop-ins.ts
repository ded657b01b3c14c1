import { basename } from "node:path";
import { type Log, messageOf } from "../log.ts";
import type { Act } from "../people/actions.ts";
import { SYSTEM } from "../people/actor.ts";
import type { DropInChange } from "../plugin-host/files/reload.ts";
import type { RecorderFunctions } from "../threads.ts";

/** Logs in the audit log which drop-ins were loaded, and which failed. */
export function noteDropIns(note: RecorderFunctions["note"], log: Log): (changes: readonly DropInChange[]) => void {
  return (changes) => {
    for (const change of changes) {
      note({ by: SYSTEM, act: actOf(change) }).catch((error: unknown) => {
        log.warn("the audit log does not have a change of a drop-in", { file: change.file, why: messageOf(error) });
      });
    }
  };
}

function actOf({ kind, file, state, reason }: DropInChange): Act {
  return {
    action: state === "failed" ? "plugin.failed" : "plugin.loaded",
    organizationId: null,
    object: { kind, id: file, name: basename(file) },
    after: reason === undefined ? { state } : { state, reason },
  };
}
