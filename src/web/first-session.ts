/** A response, and its time of arrival by this machine's clock. */
export interface Heard {
  readonly response: Response;
  readonly at: number;
}

/** Pages that need no log-in. */
const HAS_NO_SESSION = /^\/(?:shared|invitation)\//;

/** The session is requested while the program is still loading: no other request can be sent before it is known. */
let pending: Promise<Heard> | undefined = HAS_NO_SESSION.test(location.pathname)
  ? undefined
  : fetch("/v1/session", { credentials: "same-origin" }).then((response) => ({ response, at: Date.now() }));

/** Whether that request finds a log-in; false if it was not sent, or failed, which its consumer sees. */
export const firstSessionWorks: Promise<boolean> = Promise.resolve(pending).then(
  (heard) => heard?.response.ok === true,
  () => false,
);

/** The response to the first session request; undefined if it was taken already, or never sent. */
export function takeFirstSession(): Promise<Heard> | undefined {
  const taken = pending;
  pending = undefined;
  return taken;
}
