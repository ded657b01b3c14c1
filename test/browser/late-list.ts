import type { Page, Request } from "playwright-core";

/** The method and the end of the path of a call. */
type Call = readonly [method: string, path: string];

const isOf = (request: Request, [method, path]: Call) =>
  request.method() === method && new URL(request.url()).pathname.endsWith(path);

/** The first response to `list` is from before `change`, and arrives after that. */
export async function delayFirstList(page: Page, list: Call, change: Call): Promise<void> {
  const changed = page.waitForResponse((response) => isOf(response.request(), change));
  const first = Promise.withResolvers<void>();
  let lists = 0;
  await page.route(/\/v1\//, async (route) => {
    const request = route.request();
    if (isOf(request, change)) await first.promise;
    else if (isOf(request, list) && ++lists === 1) {
      const response = await route.fetch();
      first.resolve();
      await changed;
      return await route.fulfill({ response }).catch(() => undefined); // the page does not wait for it
    }
    await route.continue();
  });
}
