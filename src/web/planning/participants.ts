import type { Entity } from '../frame/api.ts';
import { count } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import type { ProjectContext } from '../namespaces/project.ts';
import { avatar } from './discussion.ts';
import type { Kind } from './kind.ts';

const most = 24;

/** Avatars of the participants, with links to their profiles. */
export async function participants({ visit, api }: ProjectContext, kind: Kind, item: Entity): Promise<Html> {
  const answer = await visit.api.page(`${api}/${kind}/${item.iid}/participants`, { per_page: most });
  const people: readonly Entity[] = answer.body;
  const total = Number(answer.headers['x-total'] ?? people.length);
  const face = (one: Entity) =>
    html`<li><a href="${visit.base}/${one.username}" title="${one.name}" aria-label="${one.name}">${avatar(one)}</a></li>`;
  return html`<section><h2>${count(total, 'participant')}</h2><ul class="faces">${people.map(face)}</ul>${total > people.length && html`<p class="muted">and ${total - people.length} more</p>`}</section>`;
}
