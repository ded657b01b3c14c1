/** Alerts over a calendar day, week or month of a time zone, instead of a sliding window. */
export const ALERT_CALENDARS = [
  "alter table alerts add column calendar text",
  "alter table alerts add column time_zone text",
];
