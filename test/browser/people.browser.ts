import { afterAll, beforeAll, expect, test } from "bun:test";
import { PASSWORD_CHARS_MIN } from "../../src/people/password.ts";
import { PASSWORD_MIN } from "../../src/web/parts/new-password.ts";
import { findingsInBothThemes } from "./axe.ts";
import { type Dashboard, openDashboard } from "./open.ts";
import { ask } from "./world.ts";

const PASSWORD = "plain sailing on tuesdays";

let it: Dashboard;
beforeAll(async () => {
  it = await openDashboard();
});
afterAll(async () => {
  await it[Symbol.asyncDispose]();
});

const invite = async (email: string, role: string) =>
  (await ask<{ link: string }>(it.weir, "POST", "/v1/invitations", { email, role })).link;
const pathOf = (link: string) => new URL(link).pathname;

test("the length that the page asks of a password is what the API asks", () => {
  expect(PASSWORD_MIN).toBe(PASSWORD_CHARS_MIN);
});

test("an invitation leads to an account, then in; after that the log-in asks for a password, and takes keys still", async () => {
  const link = await invite("ada@example.test", "admin");
  await using opened = await it.open(pathOf(link), { key: null });
  const { page, faults } = opened;
  const accept = page.getByRole("button", { name: "Accept the invitation" });
  await page.getByText("12 characters or more. Common passwords are refused.").waitFor();
  expect(await findingsInBothThemes(page)).toEqual([]);
  await page.getByLabel("Name").fill("Ada");
  const [password, again] = [page.getByLabel("Password", { exact: true }), page.getByLabel("Password again")];
  for (const [first, second, said] of [
    ["short", "short", "Use 12 characters or more."],
    [PASSWORD, `${PASSWORD}!`, "The two passwords differ."],
    ["qwerty123456", "qwerty123456", "It is among the commonest passwords."],
  ] as const) {
    await password.fill(first);
    await again.fill(second);
    await accept.click();
    await page.getByRole("alert").getByText(said).waitFor();
  }
  await password.fill(PASSWORD);
  await again.fill(PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByText("ada@example.test", { exact: true }).waitFor();

  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByLabel("E-mail").fill("ada@example.test");
  expect(await findingsInBothThemes(page)).toEqual([]);
  await page.getByLabel("Password").fill("not my password");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText("The address or the password is wrong.").waitFor();
  await page.getByRole("button", { name: "Log in with a service key" }).click();
  await page.getByLabel("Service key").waitFor();
  await page.getByRole("button", { name: "Log in with a password" }).click();
  await page.getByLabel("E-mail").fill("Ada@example.test");
  await page.getByLabel("Password").fill(PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  await page.goto(link);
  await page.getByLabel("Name").fill("Eve");
  await password.fill("another long password");
  await again.fill("another long password");
  await accept.click();
  await page.getByText("This invitation does not work").waitFor();
  expect(faults).toEqual([]);
});

test("a viewer sees the requests, and is told what their role lacks", async () => {
  const link = await invite("vic@example.test", "viewer");
  await using opened = await it.open(pathOf(link), { key: null });
  const { page } = opened;
  await page.getByLabel("Name").fill("Vic");
  for (const label of ["Password", "Password again"]) await page.getByLabel(label, { exact: true }).fill(PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByText("vic@example.test", { exact: true }).waitFor();
  await page.goto(`${it.weir.api}/keys`);
  await page.getByText("This needs the permission admin, which your role lacks.").first().waitFor();
  await page.goto(`${it.weir.api}/requests`);
  await page.getByRole("heading", { name: "Requests", level: 1 }).waitFor();
});
