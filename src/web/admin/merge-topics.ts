import { card } from '../forms/card.ts';
import type { SectionContext } from '../forms/collection.ts';
import { type Field, submittedValues } from '../forms/fields.ts';
import { type Entity, refusalOf } from '../frame/api.ts';
import { html } from '../frame/html.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { adminSection } from './section.ts';

const list = '/admin/topics';
export const mergeTopicsPath = `${list}/merge`;

const fields: readonly Field[] = [
  { name: 'source', label: 'Topic to delete', required: true, hint: 'Name as used in projects' },
  { name: 'target', label: 'Topic to keep', required: true, hint: 'Receives all projects of the other topic' },
];

function mergePage({ visit, home, show }: SectionContext, problem?: string): Outcome {
  const values = problem === undefined ? { source: visit.query.get('source') } : submittedValues(fields, visit.form);
  const form = card(visit, { action: home + mergeTopicsPath, fields, values, button: 'Merge topics', problem });
  const body = html`<h1>Merge topics</h1><p class="muted">Merges duplicate topics. The title and description of the deleted topic are lost.</p>${form}<p><a href="${home}${list}">Topics</a></p>`;
  return show({ title: 'Merge topics', body, ...(problem !== undefined && { status: 422 }) });
}

/** Returns the ID of the topic with exactly this name; the API searches for parts of names. */
async function topicNamed({ visit }: SectionContext, name: string): Promise<number | undefined> {
  const lowerName = name.trim().toLowerCase();
  if (lowerName === '') return undefined;
  for (let page = 1; page <= 10; page += 1) {
    const { body, headers } = await visit.api.page('/topics', { search: lowerName, per_page: 100, page });
    const found = body.find((one: Entity) => one.name.toLowerCase() === lowerName);
    if (found) return found.id;
    if (String(headers['x-next-page'] ?? '') === '') return undefined;
  }
  return undefined;
}

async function merge(context: SectionContext): Promise<Outcome> {
  const { visit, home } = context;
  const [source = '', target = ''] = fields.map(({ name }) => visit.form.get(name) ?? '');
  const [source_topic_id, target_topic_id] = [await topicNamed(context, source), await topicNamed(context, target)];
  if (source_topic_id === undefined) return mergePage(context, `There is no topic ${source}.`);
  if (target_topic_id === undefined) return mergePage(context, `There is no topic ${target}.`);
  const answer = await visit.api.ask('POST', '/topics/merge', { source_topic_id, target_topic_id });
  if (answer.status < 300) return { redirect: `${home}${list}?${new URLSearchParams({ search: answer.body.name })}` };
  if ([400, 404, 409, 422].includes(answer.status)) return mergePage(context, refusalOf(answer).reason);
  throw refusalOf(answer);
}

export const mergeTopicsPages: readonly Page[] = [
  adminSection({ path: mergeTopicsPath, signedIn: true, show: (context) => mergePage(context) }),
  adminSection({ method: 'POST', path: mergeTopicsPath, show: merge }),
];
