import { messageOf } from "../../log.ts";
import { isRefusal, joined } from "../../plugin-host/hooks/verdict.ts";
import type { Endpoint } from "../../runtime/rpc.ts";
import type { RequestHooks } from "../request-hooks.ts";
import { SeenRequest } from "../seen-request.ts";
import { isOfKind, kindOf } from "./admitted-kinds.ts";
import type { HookQuestion, Question, Reply } from "./ask-hooks.ts";
import { Batch, onBatch } from "./batch.ts";

/**
 * Runs in the first gateway thread and calls the plugins for a further one.
 *
 * @returns the function to call when that thread has ended: its requests have then ended as well.
 */
export function serveHooks(port: Endpoint, hooks: RequestHooks): () => void {
  const batch = new Batch(port);
  const send = (reply: Reply) => batch.send(reply);
  /** Requests that plugins counted and that have not ended. */
  const counted = new Set<string>();
  let isGone = false;
  const end = (id: string) => hooks.onEnd({ id, status: 500, outcome: "cut_off", forwarded: true });

  const replyTo = async ({ facts, mayRead }: HookQuestion): Promise<Omit<Reply, "number">> => {
    const request = new SeenRequest(facts);
    // Read first: what plugins say after a change must not count as said before it.
    const since = hooks.admissions && Atomics.load(hooks.admissions.changes, 0);
    const needs = mayRead ? ((await hooks.needs?.(request, facts)) ?? []) : [];
    if (needs.length > 0) return { needs };
    const first = await hooks.onRequest(request, facts);
    if (isRefusal(first)) return { verdict: first };
    try {
      const second = await hooks.onForward(request, facts);
      const verdict = isRefusal(second) ? second : joined(first, second);
      const isAdmitted = verdict === undefined && isOfKind(facts) && hooks.admissions?.admits(kindOf(facts)) === true;
      return isAdmitted ? { admittedSince: since! } : { verdict };
    } finally {
      if (isGone) end(request.id);
      else counted.add(request.id);
    }
  };

  onBatch<Question>(port, (question) => {
    if ("passed" in question) {
      for (const { kind, requests } of question.passed) hooks.admissions?.onAdmitted(kind, requests);
      return;
    }
    if ("end" in question) {
      if (counted.delete(question.end.id)) hooks.onEnd(question.end);
      return;
    }
    const { number } = question;
    replyTo(question).then(
      (reply) => send({ number, ...reply }),
      (error: unknown) => send({ number, failed: messageOf(error) }),
    );
  });
  return () => {
    isGone = true;
    for (const id of counted) end(id);
    counted.clear();
  };
}
