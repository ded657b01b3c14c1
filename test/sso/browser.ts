/** As much of a browser as a log-in needs: cookies by host and port, and redirects that are followed one by one. */
export class Browser {
  readonly #jars = new Map<string, Map<string, string>>();

  /** @returns the response at the end of all redirects, or of those to addresses that `isStop` names. */
  async open(address: string, isStop: (url: URL) => boolean = () => false): Promise<Opened> {
    let url = new URL(address);
    for (let hops = 0; hops < 20; hops++) {
      const response = await this.ask(url);
      const location = response.headers.get("location");
      if (location === null) return { url, response };
      await response.body?.cancel();
      url = new URL(location, url);
      if (isStop(url)) return { url, response };
    }
    throw new Error(`too many redirects, the last to ${url}`);
  }

  /** One request, with the cookies of its host. */
  async ask(address: string | URL, init: RequestInit = {}): Promise<Response> {
    const url = new URL(address);
    const jar = this.cookies(url);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = {
      accept: "application/json",
      ...(init.headers as Record<string, string>),
      ...(cookie !== "" && { cookie }),
    };
    const response = await fetch(url, { ...init, redirect: "manual", headers });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (/max-age=0\b/i.test(line) || value === "") jar.delete(name!);
      else jar.set(name!, value!);
    }
    return response;
  }

  /** Of the host of an address, by name. */
  cookies(address: string | URL): Map<string, string> {
    const { host } = new URL(address);
    const jar = this.#jars.get(host) ?? new Map<string, string>();
    this.#jars.set(host, jar);
    return jar;
  }
}

export interface Opened {
  /** Where it ended, or would have gone next. */
  readonly url: URL;
  readonly response: Response;
}
