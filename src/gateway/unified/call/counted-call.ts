import type { RequestChange, RequestEnd } from "../../../plugin-host/contract.ts";
import { uuidv7 } from "../../../runtime/uuid.ts";
import type { Exchange } from "../../exchange.ts";
import type { RequestHooks } from "../../request-hooks.ts";

/** One call of a unified request as plugins count it. It reports its end to them exactly once. */
export class CountedCall {
  /** Plugins' changes to the request. */
  change: RequestChange | undefined;
  #id: string | undefined;
  #hooks: RequestHooks | undefined;
  #sent = false;

  /** The id of its record, if it fails and another call follows. Most calls need none. */
  get id(): string {
    this.#id ??= uuidv7();
    return this.#id;
  }

  /** Called before the plugins decide whether it may be made. */
  begin(hooks: RequestHooks, exchange: Exchange): void {
    this.#hooks = hooks;
    exchange.reportEnd((end) =>
      this.#end({ ...end, id: this.id, recordId: exchange.id, forwarded: end.forwarded && this.#sent }),
    );
  }

  sent(): void {
    this.#sent = true;
  }

  /** It was not made. */
  giveBack(): void {
    this.#end({ id: this.id, status: 0, outcome: "refused", forwarded: false });
  }

  /** It failed, and has its own record. */
  failed(end: Pick<RequestEnd, "status" | "outcome">): void {
    this.#end({ ...end, id: this.id, recordId: this.id, forwarded: true });
  }

  #end(end: RequestEnd): void {
    const hooks = this.#hooks;
    this.#hooks = undefined;
    hooks?.onEnd(end);
  }
}
