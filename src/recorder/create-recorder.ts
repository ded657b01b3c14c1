import { rewriteRecords } from "../engine/libsql/write/rewrite.ts";
import { callStatesOf } from "../store/answers/call-states.ts";
import { findAnswer } from "../store/answers/find-answer.ts";
import { itemsOf, turnsBefore } from "../store/answers/turns-before.ts";
import { maintain } from "../store/retention/maintain.ts";
import { removeRecords } from "../store/retention/remove.ts";
import { usageOf } from "../store/usage.ts";
import type { RecorderFunctions } from "../threads.ts";
import { Recorder } from "./recorder.ts";
import type { RecorderOptions } from "./recorder-options.ts";

/** Starts to read the spool into the database; answers at once, `ready` says when it works. */
export function createRecorder(options: RecorderOptions): Omit<RecorderFunctions, "hookHealth"> {
  const recorder = new Recorder(options);
  recorder.start();
  return {
    ready: () => recorder.ready,
    isKnownId: (id) => recorder.isKnownId(id.toLowerCase()),
    claimId: (id) => recorder.claimId(id.toLowerCase()),
    barrier: () => recorder.barrier(),
    indexWords: () => recorder.indexWords(),
    amend: (change) => recorder.amend({ ...change, requestId: change.requestId.toLowerCase() }),
    remove: ({ organizationId, requestIds, when, by, asked }) => {
      const ids = requestIds.map((id) => id.toLowerCase());
      return recorder.indexed((store) => removeRecords(store, organizationId, ids, by && { by, asked }), when);
    },
    maintain: (task) => recorder.indexed((store) => maintain(store, task), "next"),
    rewrite: (changes) =>
      recorder.indexed((store) => rewriteRecords(store, changes, { config: options.config, now: Date.now() })),
    showAnswers: async (wanted) => {
      if (options.answers !== undefined) options.answers.wanted = wanted;
    },
    relearn: () => recorder.relearn(),
    usageOf: (requestIds) => recorder.between(({ records }) => usageOf(records, requestIds)),
    answerOf: ({ organizationId, answerId }) =>
      recorder.look(({ records }) => findAnswer(records, organizationId, answerId)),
    turnsBefore: ({ organizationId, answerId }) =>
      recorder.look((store) => turnsBefore(store, organizationId, answerId, options.config.max_body_bytes)),
    itemsOf: ({ organizationId, answerId }) => recorder.look((store) => itemsOf(store, organizationId, answerId)),
    callStates: ({ organizationId, callIds }) =>
      recorder.between(({ records }) => callStatesOf(records, organizationId, callIds, Date.now())),
    readEntries: (version) => recorder.readEntries(version),
    writeEntries: (entries, by) => recorder.writeEntries(entries, by),
    note: (note) => recorder.note(note),
    claimShares: (claims) => recorder.claimShares(claims),
    import: (arrivals, by) => recorder.import(arrivals, by),
    metrics: () => recorder.metricsText(),
    status: () => recorder.status(),
    stop: () => recorder.stop(),
  };
}
