import Type, { type Static } from 'typebox';
import { nullable as orNull, type Param, type ParamsOf, param, required } from '../../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../../platform/http/schema.ts';
import { branchChoices, type ChatSwitch, chatSwitches, labelChoices } from './kinds.ts';

/** Switches that other kinds of integration have, and chats do not. */
const neverOn = ['commit_events', 'job_events', 'alert_events', 'incident_events', 'vulnerability_events'] as const;

const flags = Object.fromEntries([...chatSwitches, ...neverOn].map((name) => [name, Type.Boolean()])) as {
  [K in ChatSwitch | (typeof neverOn)[number]]: ReturnType<typeof Type.Boolean>;
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
  properties: Type.Record(Type.String(), Type.Union([Type.String(), Type.Boolean(), Type.Integer(), Type.Null()])),
});
export type IntegrationEntity = Static<typeof Integration>;
export type IntegrationDetailEntity = Static<typeof IntegrationDetail>;

/** All switches as an answer has them, the ones that are on given. */
export function flagsOf(on: ReadonlySet<string>) {
  return Object.fromEntries([...chatSwitches, ...neverOn].map((name) => [name, on.has(name)])) as {
    [K in ChatSwitch | (typeof neverOn)[number]]: boolean;
  };
}

/** The parameter that gives one kind of event a channel of its own. */
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

const switches = Object.fromEntries(chatSwitches.map((name) => [name, param.boolean()])) as {
  [K in ChatSwitch]: ReturnType<typeof param.boolean>;
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
  branches_to_be_notified: param.oneOf(branchChoices),
  labels_to_be_notified: orNull(param.string()),
  labels_to_be_notified_behavior: param.oneOf(labelChoices),
  ...channels,
  ...switches,
};
export const chatChange = { ...places.one, ...settings };
export type ChatChange = ParamsOf<typeof settings>;
