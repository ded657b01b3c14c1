import type { Command } from "./command.ts";
import { JSON_OPTION } from "./options.ts";

/** Users, members and organizations. */
export const PEOPLE_COMMANDS: readonly Command[] = [
  {
    name: "users create",
    summary: "create a user and print a password for them, once, on stdout",
    args: ["<email>"],
    options: {
      name: { type: "string", value: "NAME", description: "the person's name (default: the address)" },
      operator: { type: "boolean", description: "may do everything, in every organization" },
    },
    load: async () => (await import("./users.ts")).createUserCommand,
  },
  {
    name: "users invite",
    summary: "invite a person and print a link that works once, for 72 hours",
    args: ["<email>"],
    options: {
      organization: { type: "string", value: "ORG", description: "organization (default: default)" },
      role: { type: "string", value: "ROLE", description: "viewer, analyst, developer or admin (default: viewer)" },
    },
    load: async () => (await import("./users.ts")).inviteCommand,
  },
  {
    name: "users unlink",
    summary: "unlink a user's accounts at identity providers; the next log-in with their e-mail address is linked",
    args: ["<email>"],
    load: async () => (await import("./users.ts")).unlinkUserCommand,
  },
  {
    name: "users list",
    summary: "list the users",
    options: { json: JSON_OPTION },
    load: async () => (await import("./users.ts")).listUsersCommand,
  },
  {
    name: "users disable",
    summary: "log a user out and disable them and their keys",
    args: ["<email>"],
    load: async () => (await import("./users.ts")).changeUserCommand("disable"),
  },
  {
    name: "users enable",
    summary: "enable a disabled user",
    args: ["<email>"],
    load: async () => (await import("./users.ts")).changeUserCommand("enable"),
  },
  {
    name: "users remove",
    summary: "remove a user with their memberships; their keys stop working",
    args: ["<email>"],
    load: async () => (await import("./users.ts")).changeUserCommand("remove"),
  },
  {
    name: "members set",
    summary: "make a user a member, or change their role",
    args: ["<email>"],
    options: {
      role: { type: "string", value: "ROLE", description: "viewer, analyst, developer or admin" },
      org: { type: "string", value: "ORG", description: "organization (default: default)" },
    },
    load: async () => (await import("./users.ts")).setMemberCommand,
  },
  {
    name: "members remove",
    summary: "remove a member; their keys of the organization stop working",
    args: ["<email>"],
    options: { org: { type: "string", value: "ORG", description: "organization (default: default)" } },
    load: async () => (await import("./users.ts")).removeMemberCommand,
  },
  {
    name: "members list",
    summary: "list the members of an organization",
    options: {
      org: { type: "string", value: "ORG", description: "organization (default: default)" },
      json: JSON_OPTION,
    },
    load: async () => (await import("./users.ts")).listMembersCommand,
  },
  {
    name: "organizations create",
    summary: "create an organization and print its id on stdout",
    args: ["<name>"],
    load: async () => (await import("./users.ts")).createOrganizationCommand,
  },
  {
    name: "organizations set",
    summary: "rename an organization, or limit how long its new keys work",
    args: ["<name>"],
    options: {
      name: { type: "string", value: "NAME", description: "the new name" },
      "max-key-days": {
        type: "string",
        value: "DAYS",
        description: "maximum days that a new key works; 0 for no limit, default for the configured value",
      },
    },
    load: async () => (await import("./users.ts")).setOrganizationCommand,
  },
  {
    name: "organizations delete",
    summary: "delete an organization with all its records, keys and settings, through the running service",
    args: ["<name>"],
    options: {
      confirm: { type: "string", value: "NAME", description: "the name again" },
      export: {
        type: "boolean",
        description: "writes each record to exports/<id>.jsonl in the service's data directory first",
      },
      "api-url": {
        type: "string",
        value: "URL",
        description: "the API's address (default: WEIR_API_URL, or this machine's)",
      },
    },
    notes: [
      "WEIR_API_KEY is a key of the first organization with the scope admin. If it is stopped, run it again to continue.",
    ],
    load: async () => (await import("./delete-organization.ts")).deleteOrganizationCommand,
  },
  {
    name: "organizations list",
    summary: "list the organizations",
    options: { json: JSON_OPTION },
    load: async () => (await import("./users.ts")).listOrganizationsCommand,
  },
];
