/** Why a log-in by single sign-on failed, from the response that contained this page. */
export interface LoginFailure {
  readonly code: string;
  readonly message: string;
  /** Name of the provider. */
  readonly provider: string | undefined;
}

/** Read once, before the router reads the address: the failed step's address is not a page, and must not be reloaded. */
export const loginFailure: LoginFailure | undefined = readFailure();

function readFailure(): LoginFailure | undefined {
  const content = document.querySelector<HTMLMetaElement>('meta[name="weir-failure"]')?.content;
  if (content === undefined) return undefined;
  const [, provider] = /^\/v1\/login\/([\w-]+)/.exec(location.pathname) ?? [];
  history.replaceState(null, "", "/");
  return { ...(JSON.parse(content) as { code: string; message: string }), provider };
}
