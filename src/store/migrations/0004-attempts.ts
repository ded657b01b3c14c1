export const ATTEMPTS = [
  "alter table requests add column attempt_of text",
  "alter table requests add column attempt integer",
];
