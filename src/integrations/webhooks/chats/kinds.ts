import { trimTrailing } from '../../../platform/trim.ts';
import type { IntegrationKind, IntegrationRequest, SwitchName } from '../integrations/kind.ts';
import type { Settings } from '../integrations/settings.ts';
import type { Markup } from './markup.ts';
import type { Message } from './message.ts';

/** The events that chat integrations support. */
const chatSwitches = [
  'push_events',
  'tag_push_events',
  'issues_events',
  'confidential_issues_events',
  'merge_requests_events',
  'note_events',
  'confidential_note_events',
  'pipeline_events',
  'wiki_page_events',
  'deployment_events',
] as const satisfies readonly SwitchName[];

/** A message rendered in the chat's markup, and its channel. */
export interface Posting {
  readonly text: string;
  readonly details: string;
  readonly message: Message;
  readonly channel: string | undefined;
  readonly settings: Settings;
}

/** A chat integration. */
export interface ChatKind extends IntegrationKind {
  readonly markup: Markup;
  readonly secret: 'webhook' | 'token';
  readonly body: (posting: Posting) => object;
  /** How the body is sent, if not by a mere POST. */
  readonly sending?: (settings: Settings, secret: string, idempotencyKey: string) => Omit<IntegrationRequest, 'body'>;
}

const colors = { good: '#2da160', bad: '#dd2b0e', plain: '#1f75cb' } as const;
const whole = ({ text, details }: Pick<Posting, 'text' | 'details'>) => (details === '' ? text : `${text}\n${details}`);
const ofAll = ['notify_only_broken_pipelines', 'branches_to_be_notified'] as const;
const shared = {
  switches: chatSwitches,
  takes: ofAll,
  defaults: { notify_only_broken_pipelines: false, branches_to_be_notified: 'default' },
} as const;
const incoming = {
  ...shared,
  secret: 'webhook',
  required: ['webhook'],
  address: () => '{webhook}',
  addressedBy: 'webhook',
} as const;
const channels = {
  ...incoming,
  takes: [...ofAll, 'username', 'channel', 'channels', 'labels_to_be_notified', 'labels_to_be_notified_behavior'],
} as const;

function attached({ text, details, message, channel, settings }: Posting): object {
  return {
    ...(channel ? { channel } : {}),
    ...(settings.username ? { username: settings.username } : {}),
    text,
    ...(details === ''
      ? {}
      : { attachments: [{ color: colors[message.mood], text: details, fallback: details, mrkdwn_in: ['text'] }] }),
  };
}

/** All chat integrations by slug. */
export const chatKinds = {
  slack: { title: 'Slack notifications', markup: 'slack', ...channels, body: attached },
  mattermost: { title: 'Mattermost notifications', markup: 'markdown', ...channels, body: attached },
  discord: {
    title: 'Discord Notifications',
    markup: 'markdown',
    ...incoming,
    body: ({ text, details, message }) => ({
      embeds: [
        {
          color: Number.parseInt(colors[message.mood].slice(1), 16),
          author: { name: message.actor.slice(0, 256) },
          description: whole({ text, details }).slice(0, 4096),
        },
      ],
      // Do not notify users mentioned in a title.
      allowed_mentions: { parse: [] },
    }),
  },
  'microsoft-teams': {
    title: 'Microsoft Teams notifications',
    markup: 'markdown',
    ...incoming,
    body: ({ text, details, message }) => ({
      '@type': 'MessageCard',
      '@context': 'https://schema.org/extensions',
      summary: message.place,
      themeColor: colors[message.mood].slice(1),
      sections: [{ activityTitle: text, ...(details === '' ? {} : { text: details }) }],
    }),
  },
  'hangouts-chat': {
    title: 'Google Chat',
    markup: 'slack',
    ...incoming,
    body: (posting) => ({
      text: whole(posting),
      ...(posting.message.thread === undefined ? {} : { thread: { threadKey: posting.message.thread } }),
    }),
  },
  'webex-teams': {
    title: 'Webex Teams',
    markup: 'markdown',
    ...incoming,
    body: (posting) => ({ markdown: whole(posting) }),
  },
  pumble: { title: 'Pumble', markup: 'markdown', ...incoming, body: (posting) => ({ text: whole(posting) }) },
  'unify-circuit': {
    title: 'Unify Circuit',
    markup: 'markdown',
    ...incoming,
    body: (posting) => ({ subject: posting.message.place, text: whole(posting), markdown: true }),
  },
  telegram: {
    title: 'Telegram',
    markup: 'html',
    ...shared,
    secret: 'token',
    secretPattern: /^[\w:-]{1,255}$/,
    required: ['token', 'room'],
    takes: [...ofAll, 'room', 'thread', 'hostname'],
    addressedBy: 'hostname',
    address: ({ hostname }) => `${trimTrailing(hostname || 'https://api.telegram.org', '/')}/bot{token}/sendMessage`,
    body: (posting) => ({
      chat_id: posting.settings.room,
      ...(posting.settings.thread === undefined ? {} : { message_thread_id: posting.settings.thread }),
      parse_mode: 'HTML',
      text: whole(posting),
    }),
  },
  matrix: {
    title: 'Matrix notifications',
    markup: 'html',
    ...shared,
    secret: 'token',
    secretPattern: /^[\x21-\x7e]+$/,
    required: ['token', 'room'],
    takes: [...ofAll, 'room', 'hostname'],
    addressedBy: 'hostname',
    address: ({ hostname }) => trimTrailing(hostname || 'https://matrix-client.matrix.org', '/'),
    // The homeserver drops the repetition of a transaction.
    sending: ({ room = '' }, secret, idempotencyKey) => ({
      method: 'PUT',
      suffix: `/_matrix/client/v3/rooms/${encodeURIComponent(room)}/send/m.room.message/${idempotencyKey}`,
      authorization: `Bearer ${secret}`,
    }),
    body: (posting) => ({
      msgtype: 'm.text',
      body: posting.message.sentence.map((part) => (typeof part === 'string' ? part : part.words)).join(''),
      format: 'org.matrix.custom.html',
      formatted_body: whole(posting).replaceAll('\n', '<br>'),
    }),
  },
} as const satisfies Record<string, ChatKind>;

export type ChatName = keyof typeof chatKinds;

export function chatKind(name: string): ChatKind | undefined {
  return Object.hasOwn(chatKinds, name) ? chatKinds[name as ChatName] : undefined;
}
