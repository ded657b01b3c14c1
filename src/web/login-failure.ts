/** Why a log-in by single sign-on came to nothing, as the page that it ended at was answered with. */
export interface LoginFailure {
  readonly code: string;
  readonly message: string;
  /** Name of the provider. */
  readonly provider: string | undefined;
}

/** Read once, before the router reads the address: that of the failed step is no page, and must not be loaded again. */
export const loginFailure: LoginFailure | undefined = readFailure();

function readFailure(): LoginFailure | undefined {
  const content = document.querySelector<HTMLMetaElement>('meta[name="weir-failure"]')?.content;
  if (content === undefined) return undefined;
  const [, provider] = /^\/v1\/login\/([\w-]+)/.exec(location.pathname) ?? [];
  history.replaceState(null, "", "/");
  return { ...(JSON.parse(content) as { code: string; message: string }), provider };
}
