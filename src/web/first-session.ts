/** A response, and when it came by this machine's clock. */
export interface Heard {
  readonly response: Response;
  readonly at: number;
}

/** Pages that need no log-in. */
const HAS_NO_SESSION = /^\/(?:shared|invitation)\//;

/** Who is logged in is asked while the program itself is still loaded: until that is known, nothing else may be asked. */
let asked: Promise<Heard> | undefined = HAS_NO_SESSION.test(location.pathname)
  ? undefined
  : fetch("/v1/session", { credentials: "same-origin" }).then((response) => ({ response, at: Date.now() }));
asked?.catch(() => {}); // the consumer sees the failure

/** The response to the first question; undefined once it was taken, and where it was not asked. */
export function takeFirstSession(): Promise<Heard> | undefined {
  const taken = asked;
  asked = undefined;
  return taken;
}
