/** A failure that the API answered. */
export class WeirError extends Error {
  /** @param {{ status: number, code: string, message: string, path?: string | null, retryAfter?: number }} failure */
  constructor({ status, code, message, path, retryAfter }) {
    super(message);
    this.name = "WeirError";
    this.status = status;
    this.code = code;
    this.path = path ?? undefined;
    this.retryAfter = retryAfter;
  }
}

const PAGE_SIZE = 100;

/** @param {import("./index.d.ts").WeirOptions} options */
export function createWeirClient({ url, key, organization, fetch = globalThis.fetch }) {
  if (!URL.canParse(url))
    throw new TypeError(`url: give the address of Weir's API, such as http://127.0.0.1:8788, not ${url}`);
  if (!key) throw new TypeError("key: give a service key; weir keys create makes one");
  const root = url.replace(/\/+$/, "");

  const raw = async (path, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${key}`);
    if (organization !== undefined) headers.set("gateway-organization", organization);
    const response = await fetch(root + path, { ...init, headers });
    if (!response.ok) throw await failureOf(response);
    return response;
  };

  const envelope = async (method, path, { path: values = {}, query = {}, body, headers, signal } = {}) => {
    const init = { method, signal, headers: { ...headers } };
    if (body !== undefined) {
      init.body = JSON.stringify(body);
      init.headers["content-type"] = "application/json";
    }
    const response = await raw(addressOf(path, values, query), init);
    const { error: _, ...answer } = await response.json();
    const warning = response.headers.get("gateway-warning");
    return warning === null ? answer : { ...answer, warning };
  };

  const call = (method) => async (path, options) => (await envelope(method, path, options)).data;

  async function* records({ filter = "all", sort, includeBody, pageSize = PAGE_SIZE, ...options } = {}) {
    let cursor;
    do {
      const body = { filter, limit: pageSize };
      if (sort !== undefined) body.sort = sort;
      if (includeBody !== undefined) body.includeBody = includeBody;
      if (cursor !== undefined) body.cursor = cursor;
      const page = await envelope("POST", "/v1/request/query", { ...options, body });
      yield* page.data;
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
  }

  return {
    ...{ GET: call("GET"), POST: call("POST"), PUT: call("PUT"), PATCH: call("PATCH"), DELETE: call("DELETE") },
    ...{ envelope, records, raw },
  };
}

/** The path with its values in their places, and the query behind it. */
function addressOf(path, values, query) {
  const filled = path.replace(/\{([^}]+)\}/g, (_, name) => {
    if (values[name] === undefined) throw new TypeError(`path.${name}: ${path} needs it`);
    return encodeURIComponent(values[name]);
  });
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return search === "" ? filled : `${filled}?${search}`;
}

/** What the API says went wrong; of an answer that is not the API's, as much as can be said. */
async function failureOf(response) {
  const text = await response.text();
  let said = {};
  try {
    said = JSON.parse(text) ?? {};
  } catch {
    // It came from something in between.
  }
  const seconds = Number(response.headers.get("retry-after"));
  return new WeirError({
    status: response.status,
    code: said.code ?? "unknown",
    message: said.message ?? `the service answered ${response.status}`,
    path: said.path,
    retryAfter: Number.isFinite(seconds) && seconds > 0 ? seconds : undefined,
  });
}
