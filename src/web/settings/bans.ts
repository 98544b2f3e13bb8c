import type { Collection } from '../forms/collection.ts';
import { relativeTime } from '../frame/format.ts';
import { html } from '../frame/html.ts';

const ban = (id: string) => `/members/${encodeURIComponent(id)}/ban`;

/** Users banned from a top-level group and everything below it. */
export const bans: Collection = {
  path: '/-/settings/bans',
  title: 'Banned members',
  intro: 'Banned users cannot be members of this group or anything below it.',
  empty: 'No banned users.',
  list: '/members/banned',
  least: 50,
  item: (one, { visit }) =>
    html`<a class="main" href="${visit.base}/${one.username}">${one.name}</a> <span class="muted">@${one.username} ${relativeTime(one.banned_at)}</span>`,
  add: {
    title: 'Ban a member',
    button: 'Ban',
    fields: [{ name: 'username', label: 'Username', required: true }],
    created: { method: 'POST', path: (_typed, { id }) => ban(String(id)) },
    async prepare({ username }, { visit }) {
      const [found] = await visit.api.get('/users', { username: String(username ?? '').replace(/^@/, '') });
      // For an unknown user, ID 0 makes the API return its own error.
      return { id: found?.id ?? 0 };
    },
  },
  buttons: { lift: { text: 'Lift the ban', method: 'DELETE', path: ban } },
};
