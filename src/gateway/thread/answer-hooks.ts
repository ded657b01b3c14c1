import { messageOf } from "../../observe.ts";
import { isRefusal, joined } from "../../plugin/hooks/verdict.ts";
import type { Endpoint } from "../../runtime/rpc.ts";
import type { RequestHooks } from "../gateway-parts.ts";
import { SeenRequest } from "../hooks.ts";
import type { Question, Reply } from "./ask-hooks.ts";
import { Batch, onBatch } from "./batch.ts";

/**
 * Asks the plugins for a further gateway thread, in the first one.
 *
 * @returns what to call when that thread has ended: its requests then have ended as well.
 */
export function answerHooks(port: Endpoint, hooks: RequestHooks): () => void {
  const batch = new Batch(port);
  const send = (reply: Reply) => batch.send(reply);
  /** Requests that plugins were asked to count, and that have not ended. */
  const counted = new Set<string>();
  let isGone = false;
  const end = (id: string) => hooks.onEnd({ id, status: 500, outcome: "cut_off", forwarded: true });

  const answer = async (request: SeenRequest, mayRead: boolean): Promise<Omit<Reply, "number">> => {
    if (mayRead && (await hooks.readsUser?.(request))) return { readsUser: true };
    const first = await hooks.onRequest(request);
    if (isRefusal(first)) return { verdict: first };
    try {
      const second = await hooks.onForward(request);
      return { verdict: isRefusal(second) ? second : joined(first, second) };
    } finally {
      if (isGone) end(request.id);
      else counted.add(request.id);
    }
  };

  onBatch<Question>(port, (question) => {
    if ("end" in question) {
      if (counted.delete(question.end.id)) hooks.onEnd(question.end);
      return;
    }
    const { number, facts, mayRead } = question;
    answer(new SeenRequest(facts), mayRead).then(
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
