import { afterAll, describe, expect, test } from "bun:test";
import { openObjectStore } from "../../src/store/objects/open-objects.ts";
import { startObjectStore } from "./store.ts";

const store = await startObjectStore();
afterAll(() => store[Symbol.asyncDispose]());

const open = (changes: Partial<typeof store.settings> = {}) =>
  openObjectStore({
    data_dir: "",
    database_url: "",
    bodies_prefix: "",
    bodies_pack_bytes: 1,
    ...store.settings,
    ...changes,
  })!;

describe("an object store", () => {
  test("gives back the bytes of a range, and nothing of an object that is not there or ends before", async () => {
    const content = Buffer.from("0123456789");
    await store.client.put("a/b c'(1)!.bin", content);
    expect(await store.client.get("a/b c'(1)!.bin", { offset: 2, length: 3 })).toEqual(
      new Uint8Array(Buffer.from("234")),
    );
    expect(await store.client.get("a/b c'(1)!.bin", { offset: 0, length: 0 })).toEqual(new Uint8Array(0));
    expect(await store.client.get("a/b c'(1)!.bin", { offset: 8, length: 3 })).toBeUndefined();
    expect(await store.client.get("a/b c'(1)!.bin", { offset: 20, length: 3 })).toBeUndefined();
    expect(await store.client.get("a/none", { offset: 0, length: 3 })).toBeUndefined();
    await store.client.remove("a/b c'(1)!.bin");
    await store.client.remove("a/b c'(1)!.bin");
    expect(await store.client.get("a/b c'(1)!.bin", { offset: 0, length: 3 })).toBeUndefined();
  });

  test("lists what begins with a prefix, in order", async () => {
    const names = ["many/1", "many/2&<3>", "many/4"];
    for (const name of [...names, "others/1"]) await store.client.put(name, Buffer.from(name));
    const listed = (await Array.fromAsync(store.client.list("many/"))).flat();
    const sorted = listed.sort((a, b) => (a.name < b.name ? -1 : 1)); // this imitation sorts encoded names
    expect(sorted).toEqual(names.map((name) => ({ name, bytes: name.length })));
  });

  test("lists page after page", async () => {
    const ranges: (string | null)[] = [];
    await using paged = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch(request) {
        const token = new URL(request.url).searchParams.get("continuation-token");
        ranges.push(token);
        const page = Number(token?.slice(1) ?? 0);
        const next = `<IsTruncated>true</IsTruncated><NextContinuationToken>+${page + 1}</NextContinuationToken>`;
        const entry = `<Contents><Key>k${page}</Key><Size>${page}</Size></Contents>`;
        return new Response(`<ListBucketResult>${page < 3 ? next : ""}${entry}</ListBucketResult>`);
      },
    });
    const listed = await Array.fromAsync(open({ bodies_url: `http://127.0.0.1:${paged.port}` }).list(""));
    expect(ranges).toEqual([null, "+1", "+2", "+3"]);
    expect(listed.flat().map(({ name }) => name)).toEqual(["k0", "k1", "k2", "k3"]);
  });

  test("says what was refused, with the store's own words and without a key", async () => {
    const wrong = open({ bodies_access_key_id: "SOMEBODY", bodies_secret_access_key: "not-the-secret-1234" });
    const failure = await wrong.put("x", Buffer.from("x")).catch((error) => error);
    expect(failure).toMatchObject({ code: "bodies_unavailable" });
    expect(failure.message).toContain("InvalidAccessKeyId");
    expect(failure.message).not.toContain("not-the-secret");
    const nowhere = open({ bodies_bucket: "no-such-bucket" });
    await expect(nowhere.get("x", { offset: 0, length: 1 })).rejects.toThrow(/no-such-bucket at .*404, NoSuchBucket/);
    await expect(nowhere.list("").next()).rejects.toThrow("NoSuchBucket");
  });

  test("that is away is retried, and finally reported", async () => {
    const gone = open({ bodies_url: "http://127.0.0.1:9" });
    await expect(gone.put("x", Buffer.from("x"))).rejects.toMatchObject({ code: "bodies_unavailable" });
  });

  test("that fails for a moment is retried", async () => {
    let calls = 0;
    await using busy = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () =>
        ++calls < 3 ? new Response("<Error><Code>SlowDown</Code></Error>", { status: 503 }) : new Response(""),
    });
    await open({ bodies_url: `http://127.0.0.1:${busy.port}` }).put("x", Buffer.from("x"));
    expect(calls).toBe(3);
  });

  test("that sends whole objects for ranges gives the same bytes", async () => {
    await using plain = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("0123456789") });
    const client = open({ bodies_url: `http://127.0.0.1:${plain.port}` });
    expect(await client.get("x", { offset: 4, length: 2 })).toEqual(new Uint8Array(Buffer.from("45")));
  });
});
