import { createHash } from "node:crypto";
import { brotliDecompressSync, gzipSync } from "node:zlib";
import { GatewayError } from "../errors.ts";
import { type Log, messageOf } from "../log.ts";
import { type LoadedWebFiles, loadWebFiles } from "../runtime/web-files.ts";
import { failure } from "./envelope.ts";

const SHELL = "index.html";
const ASSETS = "/assets/";
/** Pages with a secret in the address: shared links and invitations. */
const SECRET = ["/shared/", "/invitation/"];
/** Headers of those pages, and of all API responses to a shared link: neither search engines nor caches keep them. */
export const UNSEEN = {
  "x-robots-tag": "noindex, nofollow, noarchive",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
};
/** Addresses for programs: no page is served at or below them, whatever a client accepts. */
const PROGRAMS = /^\/(?:v1(?:\/.*)?|(?:mcp|docs|openapi\.json|metrics|healthz|readyz)\/?)$/;

const SAFE = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // Images that a record holds inline; as images they cannot run scripts.
    "img-src 'self' data:",
    "media-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

interface Served {
  readonly type: string;
  readonly etag: string;
  readonly forms: Readonly<Record<"br" | "gzip" | "identity", () => Uint8Array>>;
}

/**
 * Serves the dashboard. Its shell holds no data; it is served at every address that browsers open and programs do not, along
 * with its assets. The shell loads data through the API.
 */
export class Dashboard {
  readonly #log: Log;
  #loaded: LoadedWebFiles | undefined;
  #served = new Map<string, Served>();

  constructor(log: Log) {
    this.#log = log;
  }

  async respond(request: Request): Promise<Response | undefined> {
    if (request.method !== "GET" && request.method !== "HEAD") return undefined;
    const { pathname } = new URL(request.url);
    const isAsset = pathname.startsWith(ASSETS);
    if (!isAsset && !isPage(request, pathname)) return undefined;
    try {
      await this.#load(isAsset);
    } catch (error) {
      this.#log.error("the dashboard cannot be built", { why: messageOf(error) });
      return failure(new GatewayError("dashboard_missing"));
    }
    const file = this.#served.get(isAsset ? pathname.slice(ASSETS.length) : SHELL);
    if (file === undefined) return failure(new GatewayError("not_found", "the dashboard has no such file"));
    const response = fileResponse(request, file, isAsset);
    if (SECRET.some((start) => pathname.startsWith(start)))
      for (const [name, value] of Object.entries(UNSEEN)) response.headers.set(name, value);
    return response;
  }

  /** The dashboard with the response's failure in it if a browser asked for a page; else the response itself. */
  async shownFailure(request: Request, response: Response): Promise<Response> {
    if (response.status < 400 || response.body === null || !(request.headers.get("accept") ?? "").includes("text/html"))
      return response;
    const shell = await this.#load(false).then(
      () => this.#served.get(SHELL)?.forms.identity(),
      () => undefined,
    );
    if (shell === undefined) return response;
    const { code, message } = (await response.json()) as { code: string; message: string };
    const meta = `<meta name="weir-failure" content="${escaped(JSON.stringify({ code, message }))}">`;
    const headers = new Headers(response.headers);
    const own = { ...SAFE, ...UNSEEN, "content-type": "text/html; charset=utf-8" };
    for (const [name, value] of Object.entries(own)) headers.set(name, value);
    return new Response(
      Buffer.from(shell)
        .toString("utf8")
        .replace("</head>", () => `${meta}\n</head>`),
      { status: response.status, headers },
    );
  }

  /** A request for a page checks for a newer build; an asset belongs to the build that its page came from. */
  async #load(isAsset: boolean): Promise<void> {
    if (isAsset && this.#loaded !== undefined) return;
    const loaded = await loadWebFiles(this.#loaded);
    if (loaded === this.#loaded) return;
    this.#loaded = loaded;
    this.#served = new Map(loaded.files.map(({ name, type, brotli }) => [name, servedFile(type, brotli)]));
  }
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function isPage(request: Request, pathname: string): boolean {
  if (pathname === "/") return true;
  if (PROGRAMS.test(pathname)) return false;
  return (request.headers.get("accept") ?? "").includes("text/html");
}

function fileResponse(request: Request, { type, etag, forms }: Served, isAsset: boolean): Response {
  const headers = {
    ...SAFE,
    "content-type": type,
    etag,
    vary: "accept-encoding",
    // An asset's name changes with its content; the shell's does not.
    "cache-control": isAsset ? "public, max-age=31536000, immutable" : "no-cache",
  };
  if (request.headers.get("if-none-match") === etag) return new Response(null, { status: 304, headers });
  const accepted = request.headers.get("accept-encoding") ?? "";
  const form = /\bbr\b/.test(accepted) ? "br" : /\bgzip\b/.test(accepted) ? "gzip" : "identity";
  const bytes = forms[form]() as Uint8Array<ArrayBuffer>;
  const withLength = { ...headers, "content-length": String(bytes.byteLength) };
  return new Response(request.method === "HEAD" ? null : bytes, {
    headers: form === "identity" ? withLength : { ...withLength, "content-encoding": form },
  });
}

function servedFile(type: string, base64: string): Served {
  const br = Buffer.from(base64, "base64");
  let gzip: Buffer | undefined;
  return {
    type,
    etag: `"${createHash("sha256").update(br).digest("hex").slice(0, 20)}"`,
    forms: {
      br: () => br,
      gzip: () => {
        gzip ??= gzipSync(brotliDecompressSync(br));
        return gzip;
      },
      identity: () => brotliDecompressSync(br),
    },
  };
}
