import type { Entity } from '../frame/api.ts';
import { type Html, html, nothing } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
import { returnAddress } from '../frame/return-to.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { projectPage } from '../namespaces/project.ts';
import { type Kind, noteablePaths } from './kind.ts';

/** Suggested emoji; others are shown if they were used. */
const offered: Readonly<Record<string, string>> = {
  thumbsup: '👍',
  thumbsdown: '👎',
  tada: '🎉',
  heart: '❤️',
  rocket: '🚀',
  eyes: '👀',
};

interface Reaction {
  readonly name: string;
  readonly count: number;
  readonly own: boolean;
  readonly who: string;
}

function reactionButton({ name, count, own, who }: Reaction): Html {
  const text = `${offered[name] ?? `:${name}:`}${count > 0 ? ` ${count}` : ''}`;
  const label = `${text} ${name}: ${who}`;
  return html`<button name="name" value="${name}" aria-pressed="${String(own)}" aria-label="${label}" title="${label}">${text}</button>`;
}

const maxPages = 20;
const maxNames = 20;

/** Loads all emoji reactions. */
async function awardsOf({ api }: Visit, url: string): Promise<readonly Entity[]> {
  const reactionsGiven: Entity[] = [];
  for (let page = 1; page <= maxPages; page += 1) {
    const { body, headers } = await api.page(url, { per_page: 100, page });
    reactionsGiven.push(...body);
    if (String(headers['x-next-page'] ?? '') === '') break;
  }
  return reactionsGiven;
}

function namesOf(awards: readonly Entity[]): string {
  const names = awards.slice(0, maxNames).map(({ user }) => user?.name ?? '');
  const more = awards.length - names.length;
  return names.length === 0 ? 'nobody yet' : `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Reactions with their counts; a click adds or removes the user's own. */
export async function reactions(visit: Visit, url: string, page: string): Promise<Html> {
  if (!visit.user) return nothing;
  const reactionsGiven = await awardsOf(visit, `${url}/award_emoji`);
  const byName = Map.groupBy(reactionsGiven, ({ name }): string => name);
  const names = [...new Set([...Object.keys(offered), ...byName.keys()])];
  const buttons = names.map((name) => {
    const found = byName.get(name) ?? [];
    const own = found.some(({ user }) => user?.id === visit.user?.id);
    const who = namesOf(found);
    return reactionButton({ name, count: found.length, own, who });
  });
  return html`<form class="row reactions" method="post" action="${page}/reactions" aria-label="Reactions">${csrfField(visit)}${buttons}</form>`;
}

/** Reactions by note ID. */
export type NoteReactions = ReadonlyMap<number, readonly Entity[]>;

const atOnce = 200;
const maxNotes = 1_000;

export async function noteReactions({ api }: Visit, url: string, noteIds: readonly number[]): Promise<NoteReactions> {
  const reactionsGiven: Entity[] = [];
  for (let from = 0; from < Math.min(noteIds.length, maxNotes); from += atOnce)
    reactionsGiven.push(
      ...(await api.get(`${url}/notes/award_emoji`, { note_ids: noteIds.slice(from, from + atOnce) })),
    );
  return Map.groupBy(reactionsGiven, ({ note_id }): number => note_id);
}

/** The reactions to a note; unused emoji are in a menu. */
export function drawNoteReactions(
  visit: Visit,
  action: string,
  from: string,
  reactionsGiven: readonly Entity[] = [],
): Html {
  if (!visit.user) return nothing;
  const drawn = reactionsGiven.map(({ name, count, own_award_id }) => {
    const own = own_award_id !== null;
    return reactionButton({ name, count, own, who: own ? (count > 1 ? 'you and others' : 'you') : 'others' });
  });
  const more = Object.keys(offered)
    .filter((name) => !reactionsGiven.some((one) => one.name === name))
    .map((name) => reactionButton({ name, count: 0, own: false, who: 'nobody yet' }));
  return html`<form class="row reactions" method="post" action="${action}/reactions">${csrfField(visit)}<input type="hidden" name="from" value="${from}">${drawn}${more.length > 0 && html`<details><summary>React</summary><div class="row">${more}</div></details>`}</form>`;
}

/** Adds or removes the selected reaction. */
export async function react(
  visit: Visit,
  { url, page }: { readonly url: string; readonly page: string },
): Promise<Outcome> {
  const name = visit.form.get('name') ?? '';
  const awards = `${url}/award_emoji`;
  const reactionsGiven = await awardsOf(visit, awards);
  const own = reactionsGiven.find((award) => award.name === name && award.user?.id === visit.user?.id);
  if (own) await visit.api.send('DELETE', `${awards}/${own.id}`);
  else await visit.api.send('POST', awards, { name });
  return { redirect: page };
}

/** Adds or removes a reaction to a note. */
export async function reactToNote(
  visit: Visit,
  { url, page }: { readonly url: string; readonly page: string },
): Promise<Outcome> {
  const { id } = visit.params;
  const name = visit.form.get('name') ?? '';
  const reactionsGiven = (await noteReactions(visit, url, [Number(id)])).get(Number(id)) ?? [];
  const own = reactionsGiven.find((one) => one.name === name)?.own_award_id ?? null;
  const awards = `${url}/notes/${id}/award_emoji`;
  if (own === null) await visit.api.send('POST', awards, { name });
  else await visit.api.send('DELETE', `${awards}/${own}`);
  const view = visit.form.get('from') === 'diffs' ? '/diffs' : '';
  return { redirect: `${returnAddress(visit, page + view)}#note_${id}` };
}

export const reactionPages = (kind: Kind): Page[] => [
  projectPage({
    method: 'POST',
    path: `/:project/-/${kind}/:iid/reactions`,
    show: (context) => react(context.visit, noteablePaths(context, kind)),
  }),
  projectPage({
    method: 'POST',
    path: `/:project/-/${kind}/:iid/notes/:id/reactions`,
    show: (context) => reactToNote(context.visit, noteablePaths(context, kind)),
  }),
];
