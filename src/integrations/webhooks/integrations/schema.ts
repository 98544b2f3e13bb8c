import Type, { type Static } from 'typebox';
import { nullable as orNull, type Param, type ParamsOf, param, required } from '../../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../../platform/http/schema.ts';
import { type IntegrationKind, type SwitchName, switchNames, triggeredBy } from './kind.ts';
import { branchChoices, labelChoices } from './settings.ts';

/** Events that responses contain but that are not supported. */
const neverOn = ['alert_events', 'incident_events', 'vulnerability_events'] as const;
type FlagName = SwitchName | (typeof neverOn)[number];

const flags = Object.fromEntries([...switchNames, ...neverOn].map((name) => [name, Type.Boolean()])) as {
  [K in FlagName]: ReturnType<typeof Type.Boolean>;
};

const shared = {
  id: nullable(Type.Integer()),
  title: Type.String(),
  slug: Type.String(),
  created_at: nullable(timestamp()),
  updated_at: nullable(timestamp()),
  active: Type.Boolean(),
  ...flags,
  comment_on_event_enabled: Type.Boolean(),
  inherited: Type.Boolean(),
};

export const Integration = entity('Integration', { ...shared });
export const IntegrationDetail = entity('IntegrationDetail', {
  ...shared,
  properties: Type.Record(
    Type.String(),
    Type.Union([Type.String(), Type.Boolean(), Type.Integer(), Type.Array(Type.String()), Type.Null()]),
  ),
});
export type IntegrationEntity = Static<typeof Integration>;
export type IntegrationDetailEntity = Static<typeof IntegrationDetail>;

/** Returns all event flags of a response, given the enabled events. */
export function flagsOf({ switches }: IntegrationKind, on: readonly string[]) {
  const isOn = (name: FlagName) => switches.some((own) => own === name && on.includes(triggeredBy(own)));
  return Object.fromEntries([...switchNames, ...neverOn].map((name) => [name, isOn(name)])) as {
    [K in FlagName]: boolean;
  };
}

/** Parameters that set a channel for one kind of event. */
export const channelNames = [
  'push_channel',
  'tag_push_channel',
  'issue_channel',
  'confidential_issue_channel',
  'merge_request_channel',
  'note_channel',
  'confidential_note_channel',
  'pipeline_channel',
  'wiki_page_channel',
  'deployment_channel',
] as const;

const switches = Object.fromEntries(switchNames.map((name) => [name, param.boolean()])) as {
  [K in SwitchName]: ReturnType<typeof param.boolean>;
};
const channels = Object.fromEntries(channelNames.map((name) => [name, orNull(param.string())])) as {
  [K in (typeof channelNames)[number]]: Param<string | null, 'optional'>;
};

const owner = { id: required(param.string({ description: 'ID or URL-encoded path' })) };
export const places = {
  all: { ...owner },
  one: { ...owner, slug: required(param.string()) },
};

const settings = {
  active: param.boolean(),
  use_inherited_settings: param.boolean(),
  webhook: param.string({ description: 'Incoming webhook URL of the chat' }),
  token: param.string({ description: 'Token of a bot, or of the service' }),
  api_key: param.string({ description: 'API key of Datadog' }),
  room: orNull(param.string()),
  thread: orNull(param.integer()),
  hostname: orNull(param.string()),
  username: orNull(param.string()),
  channel: orNull(param.string()),
  notify_only_broken_pipelines: param.boolean(),
  branches_to_be_notified: param.oneOf(['', ...branchChoices]),
  labels_to_be_notified: orNull(param.string()),
  labels_to_be_notified_behavior: param.oneOf(['', ...labelChoices]),
  recipients: param.string({ description: 'Email addresses, separated by spaces or commas' }),
  disable_diffs: param.boolean({ description: 'Do not include diffs' }),
  send_from_committer_email: param.boolean({
    description: 'Use the address of the user who pushed as sender, if it is in the domain of the server',
  }),
  notify_only_default_branch: param.boolean({ description: 'Deprecated: use branches_to_be_notified' }),
  url: param.string({ description: 'URL of Jira' }),
  api_url: orNull(param.string({ description: 'URL of the Jira API, if it differs from url' })),
  password: param.string({ description: 'Password or API token' }),
  jira_auth_type: param.integer({ description: '0: username and password; 1: personal access token' }),
  jira_issue_prefix: orNull(param.string()),
  jira_issue_regex: orNull(param.string({ description: 'RE2 regular expression that matches issue keys' })),
  jira_issue_transition_automatic: param.boolean(),
  jira_issue_transition_id: orNull(param.string()),
  project_key: orNull(param.string({ description: 'Deprecated: use project_keys' })),
  project_keys: param.commaList(),
  issues_enabled: param.boolean(),
  comment_on_event_enabled: param.boolean(),
  project_url: param.string({ description: 'URL of the project in the tracker' }),
  issues_url: param.string({ description: 'URL of an issue, with :id as placeholder for its ID' }),
  new_issue_url: param.string({ description: 'URL for creating an issue' }),
  jenkins_url: param.string({ description: 'URL of Jenkins' }),
  project_name: param.string({ description: 'Name of the project in Jenkins or Harbor' }),
  enable_ssl_verification: param.boolean(),
  server: orNull(param.string({ description: 'URL of Packagist, if it is not packagist.org' })),
  repository_url: param.string({ description: 'URL of the repository on GitHub' }),
  static_context: param.boolean({ description: 'Name statuses by this server instead of by branch' }),
  datadog_site: orNull(param.string()),
  datadog_env: orNull(param.string()),
  datadog_service: orNull(param.string()),
  datadog_tags: orNull(param.string({ description: 'One tag per line, such as key:value' })),
  ...channels,
  ...switches,
};
export const integrationChange = { ...places.one, ...settings };
export type IntegrationChange = ParamsOf<typeof settings>;
