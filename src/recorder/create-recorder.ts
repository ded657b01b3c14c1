import { noted } from "../store/audit/recorded.ts";
import { callStatesOf } from "../store/earlier-responses/call-states.ts";
import { itemsOf, turnsBefore } from "../store/earlier-responses/turns-before.ts";
import { readEntries, writeEntries } from "../store/nodes/plugin-entries.ts";
import type { RecorderFunctions } from "../threads.ts";
import { Recorder } from "./recorder.ts";
import type { RecorderOptions } from "./recorder-options.ts";

/** Starts to read the spool into the database; returns immediately, and `ready` resolves when it works. */
export function createRecorder(options: RecorderOptions): Omit<RecorderFunctions, "hookHealth"> {
  const recorder = new Recorder(options);
  recorder.start();
  return {
    ready: () => recorder.ready,
    isKnownId: (id) => recorder.isKnownId(id.toLowerCase()),
    claimId: (id) => recorder.claimId(id.toLowerCase()),
    barrier: () => recorder.barrier(),
    storeInFlight: () => recorder.storeInFlight(),
    indexWords: () => recorder.indexWords(),
    update: (change) => recorder.update({ ...change, requestId: change.requestId.toLowerCase() }),
    remove: ({ organizationId, requestIds, when, by, selection }) => {
      const ids = requestIds.map((id) => id.toLowerCase());
      return recorder.indexed((sink) => sink.remove(organizationId, ids, by && { by, selection }), when);
    },
    maintain: (task) => recorder.indexed((sink) => sink.maintain(task), "next"),
    rewrite: (changes) => recorder.indexed((sink) => sink.rewrite(changes, Date.now())),
    showResponses: async (wanted) => {
      if (options.responses !== undefined) options.responses.wanted = wanted;
    },
    relearn: () => recorder.relearn(),
    usageOf: (requestIds) => recorder.between((sink) => sink.usageOf(requestIds)),
    responseOf: (name) => recorder.look((sink) => sink.responseOf(name)),
    turnsBefore: ({ organizationId, responseId }) =>
      recorder.look((records, { content }) =>
        turnsBefore({ records, content }, organizationId, responseId, options.config.max_body_bytes),
      ),
    itemsOf: ({ organizationId, responseId }) =>
      recorder.look((records, { content }) => itemsOf({ records, content }, organizationId, responseId)),
    callStates: ({ organizationId, callIds }) =>
      recorder.between((_sink, { records }) => callStatesOf(records, organizationId, callIds, Date.now())),
    readEntries: (version) => recorder.beside((database) => readEntries(database, version)),
    writeEntries: (entries, by) => recorder.beside((database) => writeEntries(database, entries, by)),
    note: ({ by, act, outcome }) => recorder.beside((database) => noted(database, by, act, outcome)),
    claimShares: (claims) => recorder.claimShares(claims),
    import: (arrivals, by) => recorder.import(arrivals, by),
    metrics: async () => recorder.metricsText(),
    status: () => recorder.status(),
    stop: () => recorder.stop(),
  };
}
