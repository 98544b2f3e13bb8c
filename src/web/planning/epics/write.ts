import { card, submit } from '../../forms/card.ts';
import { type Field, readFields, submittedValues } from '../../forms/fields.ts';
import type { Entity, JsonBody } from '../../frame/api.ts';
import { html } from '../../frame/html.ts';
import type { Outcome } from '../../frame/visit.ts';
import { type GroupContext, inGroup } from '../../namespaces/group.ts';
import { epicOf, epicPlace } from './epic.ts';

const fields: readonly Field[] = [
  { name: 'title', label: 'Title', required: true },
  { name: 'description', label: 'Description', kind: 'area' },
  { name: 'labels', label: 'Labels', kind: 'words', hint: 'Comma-separated; new ones are created' },
  {
    name: 'start_date_fixed',
    label: 'Begins',
    kind: 'date',
    hint: 'Empty: inherited from the earliest milestone of its issues',
  },
  {
    name: 'due_date_fixed',
    label: 'Due',
    kind: 'date',
    hint: 'Empty: inherited from the latest milestone of its issues',
  },
  { name: 'confidential', label: 'Confidential: only for members who plan', kind: 'check' },
];

/** A submitted date is fixed; otherwise it is inherited from the epic's issues. */
function sentOf({ labels, start_date_fixed: from, due_date_fixed: to, ...sent }: JsonBody): JsonBody {
  return {
    ...sent,
    labels: Array.isArray(labels) ? labels.join(',') : '',
    start_date_is_fixed: Boolean(from),
    due_date_is_fixed: Boolean(to),
    start_date_fixed: from || null,
    due_date_fixed: to || null,
  };
}

const valuesOf = (epic: Entity) => ({
  ...epic,
  start_date_fixed: epic.start_date_is_fixed ? epic.start_date_fixed : '',
  due_date_fixed: epic.due_date_is_fixed ? epic.due_date_fixed : '',
});

export async function epicForm(context: GroupContext, problem?: string): Promise<Outcome> {
  const { visit, home } = context;
  const epic = visit.params.iid === undefined ? undefined : await epicOf(context);
  const title = epic ? `Edit &${epic.iid}` : 'New epic';
  const form = card(visit, {
    action: epic ? `${home}/-/epics/${epic.iid}/edit` : `${home}/-/epics`,
    fields,
    values: problem !== undefined ? submittedValues(fields, visit.form) : epic ? valuesOf(epic) : {},
    button: epic ? 'Save' : 'Create epic',
    problem,
  });
  const about =
    !epic && html`<p class="muted">An epic groups issues of all projects of the group, and child epics.</p>`;
  const body = html`<h1>${title}</h1>${about}${form}`;
  return inGroup(context, { title, tab: 'epics', body, ...(problem !== undefined && { status: 422 }) });
}

export async function createEpic(context: GroupContext): Promise<Outcome> {
  const { visit, api, home } = context;
  return submit(visit, {
    method: 'POST',
    path: `${api}/epics`,
    sent: sentOf(readFields(fields, visit.form)),
    to: ({ iid }) => `${home}/-/epics/${iid}`,
    again: (problem) => epicForm(context, problem),
  });
}

export async function saveEpic(context: GroupContext): Promise<Outcome> {
  const { visit } = context;
  const { url, page } = epicPlace(context);
  return submit(visit, {
    method: 'PUT',
    path: url,
    sent: sentOf(readFields(fields, visit.form, 'keep')),
    to: page,
    again: (problem) => epicForm(context, problem),
  });
}

export async function removeEpic(context: GroupContext): Promise<Outcome> {
  await context.visit.api.send('DELETE', epicPlace(context).url);
  return { redirect: `${context.home}/-/epics` };
}
