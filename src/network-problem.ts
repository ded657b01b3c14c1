/** Runtimes use codes, names and messages of their own, and some give only a cause. */
const PROBLEMS: readonly (readonly [RegExp, string])[] = [
  [/TimeoutError|ETIMEDOUT|timed out/i, "it does not respond in time"],
  [/ECONNREFUSED|connection ?refused/i, "nothing listens there"],
  [/ENOTFOUND|EAI_AGAIN|dns error/i, "its name has no address"],
  [/ECONNRESET|connection ?(closed|reset)|closed unexpectedly/i, "it closed the connection"],
  [/EHOSTUNREACH|ENETUNREACH|unreachable/i, "no route leads there"],
  [/failed to connect/i, "no connection can be made"],
];

/** Why a server could not be called, in words and without its address; of any other error its message. */
export function networkProblem(error: unknown): string {
  let said = "";
  let message = String(error);
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    ({ message } = at);
    said += `${at.name} ${(at as { code?: unknown }).code ?? ""} ${message} `;
  }
  return PROBLEMS.find(([pattern]) => pattern.test(said))?.[1] ?? message;
}
