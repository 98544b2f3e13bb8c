import type { Entity } from '../frame/api.ts';
import { type Html, html } from '../frame/html.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { type Place, projectPage } from '../places/project.ts';
import { actionButton } from './discussion.ts';

/** What is offered to everybody; what others gave besides is shown too. */
const offered: Readonly<Record<string, string>> = {
  thumbsup: '👍',
  thumbsdown: '👎',
  tada: '🎉',
  heart: '❤️',
  rocket: '🚀',
  eyes: '👀',
};

/** The reactions to something, each with how many gave it: a press gives one, or takes one's own back. */
export async function reactions({ visit }: Place, url: string, page: string): Promise<Html> {
  const given: readonly Entity[] = visit.user ? await visit.api.get(`${url}/award_emoji`, { per_page: 100 }) : [];
  const byName = Map.groupBy(given, ({ name }): string => name);
  const names = [...new Set([...Object.keys(offered), ...byName.keys()])];
  const button = (name: string) => {
    const found = byName.get(name) ?? [];
    const own = found.some(({ user }) => user?.id === visit.user?.id);
    const text = `${offered[name] ?? `:${name}:`}${found.length > 0 ? ` ${found.length}` : ''}`;
    const who = found.map(({ user }) => user?.name ?? '').join(', ');
    return actionButton(
      visit,
      `${page}/reactions`,
      text,
      { name },
      { pressed: own, label: `${text} ${name}: ${who || 'nobody yet'}` },
    );
  };
  return html`<div class="row reactions" role="group" aria-label="Reactions">${visit.user && names.map(button)}</div>`;
}

async function react(place: Place, kind: string): Promise<Outcome> {
  const { visit, api, home } = place;
  const name = visit.form.get('name') ?? '';
  const url = `${api}/${kind}/${visit.params.iid}/award_emoji`;
  const given: readonly Entity[] = await visit.api.get(url, { per_page: 100 });
  const own = given.find((award) => award.name === name && award.user?.id === visit.user?.id);
  if (own) await visit.api.send('DELETE', `${url}/${own.id}`);
  else await visit.api.send('POST', url, { name });
  return { redirect: `${home}/-/${kind}/${visit.params.iid}` };
}

export const reactionPages = (kind: 'issues' | 'merge_requests'): Page[] => [
  projectPage({ method: 'POST', path: `/:project/-/${kind}/:iid/reactions`, show: (place) => react(place, kind) }),
];
