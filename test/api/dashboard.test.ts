import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { buildWeb, gzippedBytes } from "../../build/web.ts";
import { openApi, type TestApi } from "./open.ts";

/** What a first visit may take, compressed as most servers do. */
const FIRST_LOAD_BYTES_MAX = 180_000;

let it: TestApi;
beforeAll(async () => {
  it = await openApi();
});
afterAll(async () => {
  await it[Symbol.asyncDispose]();
});

const page = (path: string, headers: Record<string, string> = { accept: "text/html,*/*" }) =>
  fetch(it.origin + path, { headers });

describe("the shell", () => {
  test.each([
    "/",
    "/requests",
    "/requests/0198c0de-0000-7000-8000-000000000000",
    "/overview?range=7d",
    "/no/such/page",
    "/requests/%E0%A4%A",
  ])("serves a browser at %s, without a key", async (path) => {
    const response = await page(path);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(await response.text()).toContain('<div id="root"></div>');
  });

  test("lets nothing run, load or be framed but its own files", async () => {
    const { headers } = await page("/");
    const policy = headers.get("content-security-policy")!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("style-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy.replace("img-src 'self' data:", "")).not.toMatch(/unsafe|\*|data:|https?:/);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("has no script and no style of its own between its tags", async () => {
    const html = await (await page("/")).text();
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon[a-z]+=/i);
    expect(html).not.toMatch(/(?:src|href)="(?!\/assets\/)/);
  });

  test("is revalidated by its ETag only", async () => {
    const first = await page("/");
    expect(first.headers.get("cache-control")).toBe("no-cache");
    const again = await page("/", { accept: "text/html", "if-none-match": first.headers.get("etag")! });
    expect([again.status, await again.text()]).toEqual([304, ""]);
  });
});

describe("programs get what they ask for", () => {
  test.each([
    ["/v1/nothing", 404],
    ["/v1/models", 401],
    ["/healthz", 200],
    ["/openapi.json", 200],
    ["/metrics", 200],
    ["/v1/request/%E0%A4%A", 404],
  ])("%s is no page, whatever is accepted", async (path, status) => {
    const response = await page(path);
    expect([response.status, response.headers.get("content-type")!.includes("html")]).toEqual([status, false]);
  });

  test("an unknown path returns JSON to a client that does not accept HTML", async () => {
    const response = await page("/nothing", { accept: "application/json" });
    expect([response.status, (await response.json()).error]).toEqual([404, 404]);
  });
});

describe("a file of the dashboard", () => {
  test("is kept for good, in each compression that there is", async () => {
    const html = await (await page("/")).text();
    const [, path] = /src="(\/assets\/main-[^"]+)"/.exec(html)!;
    const texts = await Promise.all(
      ["br", "gzip", "identity"].map(async (encoding) => {
        const response = await page(path!, { "accept-encoding": encoding });
        expect(response.headers.get("content-encoding") ?? "identity").toBe(encoding);
        expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
        expect(response.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
        return response.text();
      }),
    );
    expect(new Set(texts).size).toBe(1);
  });

  test("that there is not is not the shell", async () => {
    expect((await page("/assets/main-nothing.js")).status).toBe(404);
  });
});

test("a first visit loads at most 180 kB", async () => {
  const { files, first } = await buildWeb();
  const bytes = files.filter(({ name }) => first.includes(name)).reduce((sum, file) => sum + gzippedBytes(file), 0);
  expect(first.length).toBeGreaterThan(3);
  expect(gzipSync("x".repeat(1_000)).byteLength).toBeLessThan(100);
  expect(bytes).toBeLessThan(FIRST_LOAD_BYTES_MAX);
});

test("nothing in the dashboard is fetched from elsewhere", async () => {
  const { files } = await buildWeb();
  const styles = files.filter(({ type }) => type.startsWith("text/css"));
  for (const { bytes } of styles) expect(new TextDecoder().decode(bytes)).not.toMatch(/@import|url\((?!["']?data:)/);
});
