import Type, { type Static } from 'typebox';
import { nullable as orNull, type Param, type ParamsOf, param, required } from '../../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../../platform/http/schema.ts';
import { heardBy, type IntegrationKind, type SwitchName, switchNames } from './kind.ts';
import { branchChoices, labelChoices } from './settings.ts';

/** Events that responses contain but that are not supported. */
const neverOn = ['job_events', 'alert_events', 'incident_events', 'vulnerability_events'] as const;
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
  const isOn = (name: FlagName) => switches.some((own) => own === name && on.includes(heardBy(own)));
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

const owner = { id: required(param.string({ description: 'Number or URL-encoded path' })) };
export const places = {
  all: { ...owner },
  one: { ...owner, slug: required(param.string()) },
};

const settings = {
  active: param.boolean(),
  use_inherited_settings: param.boolean(),
  webhook: param.string({ description: 'The address that the chat gave for messages' }),
  token: param.string({ description: 'Of the bot, where a chat has those' }),
  room: orNull(param.string()),
  thread: orNull(param.integer()),
  hostname: orNull(param.string()),
  username: orNull(param.string()),
  channel: orNull(param.string()),
  notify_only_broken_pipelines: param.boolean(),
  branches_to_be_notified: param.oneOf(['', ...branchChoices]),
  labels_to_be_notified: orNull(param.string()),
  labels_to_be_notified_behavior: param.oneOf(['', ...labelChoices]),
  recipients: param.string({ description: 'Addresses that emails go to, parted by blanks or commas' }),
  disable_diffs: param.boolean({ description: 'Leaves out what was changed' }),
  send_from_committer_email: param.boolean({ description: 'From whoever pushed, if of the domain of this server' }),
  notify_only_default_branch: param.boolean({ description: 'The old name of branches_to_be_notified' }),
  url: param.string({ description: 'Where people find Jira' }),
  api_url: orNull(param.string({ description: 'Where the API of Jira is, if not at its url' })),
  password: param.string({ description: 'Of the user, or a token' }),
  jira_auth_type: param.integer({ description: '0: by user name and password; 1: by a personal access token' }),
  jira_issue_prefix: orNull(param.string()),
  jira_issue_regex: orNull(param.string({ description: 'How keys are written, as an expression of RE2' })),
  jira_issue_transition_automatic: param.boolean(),
  jira_issue_transition_id: orNull(param.string()),
  project_key: orNull(param.string({ description: 'The old name of project_keys' })),
  project_keys: param.commaList(),
  issues_enabled: param.boolean(),
  comment_on_event_enabled: param.boolean(),
  project_url: param.string({ description: 'Where people find the tracker' }),
  issues_url: param.string({ description: 'Of an issue, with :id where its number stands' }),
  new_issue_url: param.string({ description: 'Where people open an issue' }),
  ...channels,
  ...switches,
};
export const integrationChange = { ...places.one, ...settings };
export type IntegrationChange = ParamsOf<typeof settings>;
