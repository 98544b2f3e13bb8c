import Type, { type Static } from 'typebox';
import { storedJson } from '../../../platform/stored-json.ts';
import type { WebhookRow } from '../tables.ts';

export const branchChoices = ['all', 'default', 'protected', 'default_and_protected'] as const;
export const labelChoices = ['match_any', 'match_all'] as const;

const text = Type.Optional(Type.String());
const flag = Type.Optional(Type.Boolean());
const number = Type.Optional(Type.Integer());

/** Settings of all kinds of integrations, except secrets. */
const Stored = Type.Object({
  username: text,
  channel: text,
  /** Channel per kind of event, by parameter name, such as `push_channel`. */
  channels: Type.Optional(Type.Record(Type.String(), Type.String())),
  notify_only_broken_pipelines: flag,
  branches_to_be_notified: Type.Optional(Type.Enum([...branchChoices])),
  labels_to_be_notified: text,
  labels_to_be_notified_behavior: Type.Optional(Type.Enum([...labelChoices])),
  hostname: text,
  room: text,
  thread: number,
  recipients: text,
  disable_diffs: flag,
  send_from_committer_email: flag,
  url: text,
  api_url: text,
  jira_auth_type: number,
  jira_issue_prefix: text,
  jira_issue_regex: text,
  jira_issue_transition_automatic: flag,
  jira_issue_transition_id: text,
  project_keys: Type.Optional(Type.Array(Type.String())),
  issues_enabled: flag,
  comment_on_event_enabled: flag,
  project_url: text,
  issues_url: text,
  new_issue_url: text,
  jenkins_url: text,
  project_name: text,
  enable_ssl_verification: flag,
  server: text,
  repository_url: text,
  static_context: flag,
  datadog_site: text,
  datadog_env: text,
  datadog_service: text,
  datadog_tags: text,
});

export type Settings = Readonly<Static<typeof Stored>>;
export type SettingName = keyof Settings;

const readSettings = storedJson(Stored);

/** Returns the stored settings of an integration. */
export function settingsOf({ settings }: Pick<WebhookRow, 'settings'>): Settings {
  return settings === null ? {} : readSettings(settings);
}
