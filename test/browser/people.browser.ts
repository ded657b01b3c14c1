import { afterAll, beforeAll, expect, test } from "bun:test";
import { PASSWORD_CHARS_MIN } from "../../src/people/password.ts";
import { PASSWORD_MIN } from "../../src/web/parts/new-password.ts";
import { runCommand } from "../e2e/weir.ts";
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
    ["qwerty123456", "qwerty123456", "It is one of the most common passwords."],
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

test("the account and the organizations follow each other", async () => {
  await using opened = await it.open("/account");
  const { page } = opened;
  const links = page.getByRole("navigation", { name: "Pages" });
  await page.getByRole("heading", { name: "Log-ins" }).waitFor();
  await links.getByRole("link", { name: "Organizations" }).click();
  await page.getByRole("row", { name: /^default/ }).waitFor();
  await page.getByRole("link", { name: "My account" }).click();
  await page.getByRole("heading", { name: "Log-ins" }).waitFor();
});

test("a viewer sees the requests, and is shown what the role lacks", async () => {
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

test("a developer is offered the scopes that the role can give, and gets a key with them", async () => {
  const link = await invite("dev@example.test", "developer");
  await using opened = await it.open(pathOf(link), { key: null });
  const { page, faults } = opened;
  await page.getByLabel("Name").fill("Dev");
  for (const label of ["Password", "Password again"]) await page.getByLabel(label, { exact: true }).fill(PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "My account" }).click();
  await page.getByRole("button", { name: "Create key" }).click();
  const scope = (name: string) => page.locator(`input[name=scopes][value=${name}]`);
  for (const name of ["gateway", "figures", "read", "write"]) expect(await scope(name).isEnabled()).toBe(true);
  expect(await scope("admin").isDisabled()).toBe(true);
  await page.getByText("This needs the permission admin, which your role lacks.").waitFor();
  await page.getByLabel("Name", { exact: true }).fill("laptop");
  await page.keyboard.press("Enter");
  await page.getByText(/^sk-weir-/).waitFor();
  expect(faults).toEqual([]);
});

test("an account shows its log-ins, switches organizations and changes its password; admins change members", async () => {
  const link = await invite("mae@example.test", "admin");
  await using opened = await it.open(pathOf(link), { key: null });
  const { page, faults } = opened;
  await page.getByLabel("Name").fill("Mae");
  for (const label of ["Password", "Password again"]) await page.getByLabel(label, { exact: true }).fill(PASSWORD);
  await page.keyboard.press("Enter");
  const logIn = { email: "mae@example.test", password: PASSWORD };
  await page.getByRole("link", { name: "My account" }).waitFor();
  await fetch(`${it.weir.api}/v1/session`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: it.weir.api },
    body: JSON.stringify(logIn),
  });
  await page.getByRole("link", { name: "My account" }).click();
  await page.getByRole("row", { name: /this one/ }).waitFor();
  await page.getByRole("button", { name: /^End the log-in/ }).waitFor();
  await page.getByText("You have no keys").waitFor();
  expect(await findingsInBothThemes(page)).toEqual([]);
  await page.getByLabel("Current password").fill("not my password");
  for (const label of ["New password", "New password again"])
    await page.getByLabel(label, { exact: true }).fill(`${PASSWORD}, and on mondays`);
  const change = page.getByRole("button", { name: "Change password" });
  await change.click();
  await page.getByRole("alert").getByText("this is not the current password").waitFor();
  await page.getByLabel("Current password").fill(PASSWORD);
  await change.click();
  await page.getByText("Your password is changed.").waitFor();
  await page.getByRole("button", { name: /^End the log-in/ }).waitFor({ state: "detached" });

  await ask(it.weir, "POST", "/v1/organizations", { name: "second" });
  const other = await runCommand(it.weir.env, "users", "invite", "mae@example.test", "--organization", "second");
  const body = { name: "Mae", password: `${PASSWORD}, and on mondays` };
  await ask(it.weir, "POST", `/v1/invitations/${other.stdout.trim().split("/").at(-1)}`, body);
  await page.reload();
  await page.getByLabel("Organization", { exact: true }).selectOption({ label: "second, viewer" });
  await page.locator(".account-key").getByText("second").waitFor();
  await page.getByLabel("Organization", { exact: true }).selectOption({ label: "default, admin" });
  await page.locator(".account-key").getByText("default").waitFor();

  await page.getByRole("link", { name: "Members" }).click();
  await page.getByRole("button", { name: "Invite" }).click();
  await page.getByLabel("E-mail").fill("new@example.test");
  await page.getByRole("button", { name: "Create link" }).click();
  await page.getByText(`${it.weir.api}/invitation/`).waitFor();
  await page.getByRole("button", { name: "Done" }).click();
  const invitation = page
    .getByRole("table", { name: "Invitations" })
    .getByRole("row", { name: /^new@example\.test viewer/ });
  await invitation.waitFor();
  expect(await findingsInBothThemes(page)).toEqual([]);
  await invitation.getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("button", { name: "Revoke invitation" }).click();
  await invitation.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Change role of mae@example.test" }).click();
  await page.getByLabel("Role", { exact: true }).selectOption("analyst");
  expect(await findingsInBothThemes(page)).toEqual([]);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Members are for admins").waitFor();
  expect(faults).toEqual([]);
});

test("a key is transferred to a member; removing the member warns that it stops, and offers a transfer", async () => {
  const token = (await invite("kim@example.test", "developer")).split("/").at(-1);
  await ask(it.weir, "POST", `/v1/invitations/${token}`, { name: "Kim", password: PASSWORD });
  await ask(it.weir, "POST", "/v1/keys", { name: "nightly build", scopes: ["gateway"] });
  await using opened = await it.open("/keys");
  const { page, faults } = opened;
  const dialog = page.getByRole("dialog");
  await page.getByRole("row", { name: /nightly build.*none/ }).waitFor();
  await page.getByRole("button", { name: "Transfer… nightly build" }).click();
  await dialog.getByLabel("New owner").selectOption({ label: "kim@example.test, developer" });
  expect(await findingsInBothThemes(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Transfer key" }).click();
  await page.getByRole("row", { name: /nightly build.*kim@example\.test/ }).waitFor();

  await page.getByRole("link", { name: "Members" }).click();
  await page.getByRole("button", { name: "Remove kim@example.test" }).click();
  await dialog.getByText("One key stops working with them: nightly build.").waitFor();
  await dialog.getByRole("link", { name: "transfer it" }).click();
  await page.getByRole("button", { name: "Transfer… nightly build" }).click();
  await dialog.getByText("It belongs to kim@example.test").waitFor();
  await dialog.getByRole("button", { name: "Transfer key" }).click();
  await page.getByRole("row", { name: /nightly build.*none/ }).waitFor();
  expect(faults).toEqual([]);
});

test("the audit log shows each change with its actor, before and after; operators make, change and delete organizations", async () => {
  await using opened = await it.open("/organizations");
  const { page, faults } = opened;
  await page.getByRole("button", { name: "Create organization" }).click();
  await page.getByLabel("Name").fill("acme");
  await page.getByRole("dialog").getByRole("button", { name: "Create organization" }).click();
  await page.getByRole("row", { name: /acme/ }).waitFor();
  await page.getByRole("button", { name: "Change acme" }).click();
  await page.getByLabel("Days that a new key works at most").fill("30");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("30 days").waitFor();
  expect(await findingsInBothThemes(page)).toEqual([]);
  await page.getByRole("button", { name: "Delete acme" }).click();
  await page.getByLabel("Type acme to confirm").fill("acm");
  await page.getByRole("button", { name: "Delete organization" }).click();
  await page.getByText("this is not its name").waitFor();
  await page.getByLabel("Type acme to confirm").fill("acme");
  await page.getByRole("button", { name: "Delete organization" }).click();
  await page.getByRole("row", { name: /acme/ }).waitFor({ state: "detached" });

  await page.getByRole("link", { name: "Audit" }).click();
  await page.getByLabel("Action").fill("organization.changed");
  await page.getByRole("button", { name: "Show" }).click();
  await page.getByRole("row", { name: /organization acme/ }).waitFor();
  expect(await findingsInBothThemes(page)).toEqual([]);
  await page.getByRole("button", { name: /Details of entry/ }).click();
  await page.getByRole("region", { name: "After" }).getByText('"max_key_days": 30').waitFor();
  expect(await findingsInBothThemes(page)).toEqual([]);
  await page.getByRole("button", { name: "Close" }).last().click();
  expect(faults).toEqual([]);
});
