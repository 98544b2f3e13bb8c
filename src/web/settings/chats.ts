import type { Collection } from '../forms/collection.ts';
import type { Field } from '../forms/fields.ts';
import type { Entity, Sent } from '../frame/api.ts';
import { badge } from '../frame/format.ts';
import { html } from '../frame/html.ts';

const chats: readonly (readonly [slug: string, name: string])[] = [
  ['slack', 'Slack'],
  ['mattermost', 'Mattermost'],
  ['discord', 'Discord'],
  ['microsoft-teams', 'Microsoft Teams'],
  ['hangouts-chat', 'Google Chat'],
  ['webex-teams', 'Webex'],
  ['pumble', 'Pumble'],
  ['unify-circuit', 'Unify Circuit'],
  ['telegram', 'Telegram'],
];

const events: readonly (readonly [string, string])[] = [
  ['push_events', 'Pushes'],
  ['tag_push_events', 'Tags'],
  ['issues_events', 'Issues'],
  ['confidential_issues_events', 'Confidential issues'],
  ['merge_requests_events', 'Merge requests'],
  ['note_events', 'Comments'],
  ['confidential_note_events', 'Internal comments'],
  ['pipeline_events', 'Pipelines'],
  ['wiki_page_events', 'Wiki pages'],
  ['deployment_events', 'Deployments'],
];

const settings: readonly Field[] = [
  {
    name: 'webhook',
    label: 'Address',
    kind: 'password',
    hint: 'As the chat gave it for messages; empty leaves it as it is',
  },
  { name: 'token', label: 'Token of the bot', kind: 'password', hint: 'For Telegram alone' },
  { name: 'room', label: 'Room', hint: 'For Telegram alone' },
  { name: 'channel', label: 'Channel', hint: 'For Slack and Mattermost, where it is not the usual one' },
  {
    name: 'branches_to_be_notified',
    label: 'Branches',
    kind: 'select',
    options: [
      ['default', 'The default branch'],
      ['protected', 'Protected branches'],
      ['default_and_protected', 'The default branch and protected ones'],
      ['all', 'All'],
    ],
  },
  { name: 'notify_only_broken_pipelines', label: 'Of pipelines those that fail alone', kind: 'check' },
  ...events.map(([name, label]): Field => ({ name, label, kind: 'check' })),
];

const one = (slug: string) => `/integrations/${encodeURIComponent(slug)}`;

/** A secret that was not typed anew is not sent. */
const keepSecrets = ({ slug: _, webhook, token, ...sent }: Sent): Sent => ({
  ...sent,
  ...(webhook ? { webhook } : {}),
  ...(token ? { token } : {}),
});

/** The chats that a project or a group posts to. */
export const integrations: Collection = {
  path: '/-/settings/integrations',
  title: 'Integrations',
  intro: 'What happens here is posted to these chats. What a group posts, its projects do too, until one has its own.',
  empty: 'No chat.',
  list: '/integrations',
  least: 40,
  idOf: (chat) => String(chat.slug),
  item: (chat) =>
    html`<strong>${chat.title}</strong> ${chat.inherited && badge('pending', 'of a group')}<p class="muted">${events
      .filter(([name]) => chat[name] === true)
      .map(([, text]) => text.toLowerCase())
      .join(', ')}</p>`,
  add: {
    title: 'New chat',
    button: 'Set up',
    fields: [{ name: 'slug', label: 'Chat', kind: 'select', options: chats }, ...settings],
    start: Object.fromEntries(events.map(([name]) => [name, true])),
    made: { method: 'PUT', path: ({ slug }) => one(String(slug)) },
    prepare: keepSecrets,
  },
  edit: {
    fields: settings,
    method: 'PUT',
    path: one,
    valuesOf: (chat: Entity) => ({ ...chat, ...chat.properties }),
    prepare: keepSecrets,
  },
  buttons: {
    remove: { text: 'Remove', method: 'DELETE', path: one, when: (chat) => chat.inherited !== true },
  },
};
