import type { Collection, SectionContext } from '../forms/collection.ts';
import type { Field } from '../forms/fields.ts';
import type { Entity, JsonBody } from '../frame/api.ts';
import { badge } from '../frame/format.ts';
import { html } from '../frame/html.ts';
import { branches, broken, kinds } from './integration-fields.ts';

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
  ['matrix', 'Matrix'],
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
    hint: 'Incoming webhook URL; empty: unchanged',
  },
  { name: 'token', label: 'Bot token', kind: 'password', hint: 'Telegram and Matrix only' },
  { name: 'room', label: 'Room', hint: 'Telegram and Matrix only' },
  { name: 'hostname', label: 'Server', kind: 'url', hint: 'Telegram and Matrix only; empty: the public one' },
  { name: 'channel', label: 'Channel', hint: 'Slack and Mattermost only; empty: default' },
  branches,
  broken,
  ...events.map(([name, label]): Field => ({ name, label, kind: 'check' })),
];

/** Maintainer. */
const least = 40;
const mayChange = ({ role }: SectionContext) => role >= least;
const one = (slug: string) => `/integrations/${encodeURIComponent(slug)}`;

/** Empty secret fields keep the stored secrets. */
const keepSecrets = ({ slug: _, webhook, token, password, api_key, ...sent }: JsonBody): JsonBody => ({
  ...sent,
  ...(webhook ? { webhook } : {}),
  ...(token ? { token } : {}),
  ...(password ? { password } : {}),
  ...(api_key ? { api_key } : {}),
});

const everything = Object.fromEntries(
  [...events.map(([name]) => name), 'commit_events', 'job_events'].map((name) => [name, true]),
);

/** Integrations other than chats have their own forms. */
const others = (context: SectionContext) =>
  Object.entries(kinds).map(
    ([slug, { title }]) =>
      html` <a class="button" href="${context.home}/-/settings/integrations/edit?id=${slug}">${title}</a>`,
  );

/** Integrations of a project or group: chats, e-mails, external services and issue trackers. */
export const integrations: Collection = {
  path: '/-/settings/integrations',
  title: 'Integrations',
  intro: (context) =>
    html`<p>Integrations receive events. Projects inherit group integrations until they have their own.</p>${mayChange(context) && html`<p>Set up:${others(context)}</p>`}`,
  empty: 'Nothing.',
  list: '/integrations',
  least,
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
    created: { method: 'PUT', path: ({ slug }) => one(String(slug)) },
    prepare: keepSecrets,
  },
  edit: {
    fields: settings,
    fieldsOf: (slug) => (Object.hasOwn(kinds, slug) ? kinds[slug]?.fields : undefined),
    method: 'PUT',
    path: one,
    startOf: (slug) => (Object.hasOwn(kinds, slug) ? { ...everything, ...kinds[slug]?.start } : undefined),
    valuesOf: (chat: Entity) => ({ ...chat, ...chat.properties }),
    prepare: keepSecrets,
  },
  buttons: {
    test: { text: 'Test', method: 'POST', path: (slug) => `${one(slug)}/test`, done: 'The test was successful.' },
    remove: { text: 'Remove', method: 'DELETE', path: one, when: (chat) => chat.inherited !== true },
  },
};
