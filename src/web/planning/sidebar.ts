import { alert, hiddenFields, withFormErrors } from '../forms/card.ts';
import { splitList } from '../forms/fields.ts';
import { type Entity, refusalOf } from '../frame/api.ts';
import { label } from '../frame/format.ts';
import { type Html, html, type Part } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { type ProjectContext, projectPage } from '../namespaces/project.ts';
import { avatar, userLink } from './discussion.ts';
import { itemActions } from './item-actions.ts';
import { milestoneOptions, userIds } from './item-fields.ts';
import { type Kind, mayPlan, noteablePaths } from './kind.ts';
import { participants } from './participants.ts';
import { isPlanField, type PlanFieldName, planField, type Sending } from './plan-fields.ts';
import { timeSection } from './time.ts';

const parts = {
  assignees: 'Assignees',
  reviewers: 'Reviewers',
  labels: 'Labels',
  milestone: 'Milestone',
  due_date: 'Due date',
} as const;

type PartName = keyof typeof parts | PlanFieldName;

const partsOf = (kind: Kind): readonly PartName[] =>
  kind === 'issues'
    ? ['assignees', 'severity', 'labels', 'epic', 'milestone', 'iteration', 'weight', 'due_date', 'health_status']
    : ['assignees', 'reviewers', 'labels', 'milestone'];

const isPart = (kind: Kind, name: string | null): name is PartName => partsOf(kind).some((part) => part === name);
const titleOf = (part: PartName): string => (isPlanField(part) ? planField(part).title : parts[part]);

/** Maximum number of people and labels to choose from; others can be typed. */
const maxOffered = 100;

const tick = (name: string, value: string, text: Part, on: boolean) =>
  html`<li><label class="tick"><input type="checkbox" name="${name}" value="${value}"${on && html` checked`}> ${text}</label></li>`;

const choices = (items: readonly Html[]) => items.length > 0 && html`<ul class="choices">${items}</ul>`;

async function peopleForm({ visit, api }: ProjectContext, chosen: readonly Entity[]): Promise<Html> {
  const members: readonly Entity[] = (await visit.api.maybe(`${api}/members/all`, { per_page: maxOffered })) ?? [];
  const others = members.filter(({ id, state }) => state === 'active' && !chosen.some((one) => one.id === id));
  const item = (user: Entity, on: boolean) =>
    tick('chosen', user.username, html`${user.name} <span class="muted">@${user.username}</span>`, on);
  return html`${choices([...chosen.map((user) => item(user, true)), ...others.map((user) => item(user, false))])}<label>Others<input name="typed" placeholder="Usernames with commas between"></label>`;
}

const labelsOf = async ({ visit, api }: ProjectContext): Promise<readonly Entity[]> =>
  (await visit.api.maybe(`${api}/labels`, { per_page: maxOffered })) ?? [];

function labelsForm(known: readonly Entity[], chosen: readonly string[]): Html {
  const colors = new Map(known.map(({ name, color }) => [name, color]));
  const names = [...chosen, ...known.map(({ name }) => name).filter((name) => !chosen.includes(name))];
  const items = names.map((name) =>
    tick('chosen', name, label(name, colors.get(name) ?? '#888888'), chosen.includes(name)),
  );
  return html`${choices(items)}<label>Others<input name="typed" placeholder="New ones are created"></label>`;
}

async function milestoneForm(context: ProjectContext, current: Entity): Promise<Html> {
  const options = await milestoneOptions(context, current);
  const chosen = String(current?.id ?? '');
  return html`<select name="milestone_id" aria-label="Milestone">${options.map(([id, title]) => html`<option value="${id}"${id === chosen && html` selected`}>${title}</option>`)}</select>`;
}

async function fieldsOf(
  context: ProjectContext,
  item: Entity,
  part: PartName,
  known: readonly Entity[],
): Promise<Html> {
  switch (part) {
    case 'labels':
      return labelsForm(known, item.labels ?? []);
    case 'milestone':
      return milestoneForm(context, item.milestone);
    case 'due_date':
      return html`<input type="date" name="due_date" value="${item.due_date ?? ''}" aria-label="Due date">`;
    case 'assignees':
    case 'reviewers':
      return peopleForm(context, item[part] ?? []);
    default:
      return planField(part).control(context, item);
  }
}

function shownIn(context: ProjectContext, kind: Kind, item: Entity, part: PartName, known: readonly Entity[]): Html {
  const { visit, home } = context;
  const none = html`<p class="muted">None</p>`;
  if (isPlanField(part)) {
    const shown = planField(part).shown(context, item);
    return shown === undefined || shown === null ? none : html`<p>${shown}</p>`;
  }
  if (part === 'milestone')
    return item.milestone
      ? html`<p><a href="${home}/-/${kind}?milestone_title=${encodeURIComponent(item.milestone.title)}">${item.milestone.title}</a></p>`
      : none;
  if (part === 'due_date') return item.due_date ? html`<p>${item.due_date}</p>` : none;
  if (part === 'labels') {
    const colors = new Map(known.map(({ name, color }) => [name, color]));
    const drawn = (item.labels ?? []).map((name: string) =>
      label(name, colors.get(name) ?? '#888888', `${home}/-/${kind}?label_name=${encodeURIComponent(name)}`),
    );
    return drawn.length > 0 ? html`<p class="row labels">${drawn}</p>` : none;
  }
  const people: readonly Entity[] = item[part] ?? [];
  return people.length > 0
    ? html`<ul>${people.map((one) => html`<li class="row">${avatar(one)}${userLink(visit, one)}</li>`)}</ul>`
    : none;
}

/** The sidebar of an issue or merge request; each part has its own form. */
export async function sidebar(context: ProjectContext, kind: Kind, item: Entity, problem?: string): Promise<Html> {
  const { visit, home } = context;
  const page = `${home}/-/${kind}/${item.iid}`;
  const mayEdit = mayPlan(context, kind);
  const requested = problem === undefined ? visit.query.get('edit') : visit.form.get('part');
  const edited = mayEdit && isPart(kind, requested) ? requested : undefined;
  const known = edited === 'labels' || item.labels?.length > 0 ? await labelsOf(context) : [];
  const [fields, people] = await Promise.all([
    edited && fieldsOf(context, item, edited, known),
    participants(context, kind, item),
  ]);
  const offered = partsOf(kind).filter((part) => !isPlanField(part) || (planField(part).has?.(context, item) ?? true));
  const section = (part: PartName) => {
    const title = titleOf(part);
    if (part === edited)
      return html`<section id="side-${part}"><h2>${title}</h2><form class="card" method="post" action="${page}/sidebar">${csrfField(visit)}${hiddenFields({ part })}${alert(problem)}${fields}<div class="row"><button class="primary">Save</button><a class="button" href="${page}">Cancel</a></div></form></section>`;
    const edit =
      mayEdit &&
      html`<a class="end" href="${page}?edit=${part}#side-${part}" data-turbo-frame="side" aria-label="Edit ${title.toLowerCase()}">Edit</a>`;
    return html`<section id="side-${part}"><h2 class="row">${title}${edit}</h2>${shownIn(context, kind, item, part, known)}</section>`;
  };
  return html`<aside><turbo-frame id="side" target="_top">${offered.map(section)}${timeSection(context, kind, item, problem)}${people}${itemActions(context, kind, item, problem)}</turbo-frame></aside>`;
}

/** Reads the form of one part. */
async function sendingOf({ visit }: ProjectContext, part: PartName): Promise<Sending> {
  const { form } = visit;
  const all = [...form.getAll('chosen'), ...splitList(form.get('typed') ?? '')];
  switch (part) {
    case 'assignees':
      return { change: { assignee_ids: await userIds(visit, all) } };
    case 'reviewers':
      return { change: { reviewer_ids: await userIds(visit, all) } };
    case 'labels':
      return { change: { labels: all.join(',') } };
    case 'milestone':
      return { change: { milestone_id: Number(form.get('milestone_id') ?? 0) || 0 } };
    case 'due_date':
      return { change: { due_date: form.get('due_date') ?? '' } };
    default:
      return planField(part).sending(form);
  }
}

/** Saves one part; errors are shown next to it. */
async function save(
  context: ProjectContext,
  kind: Kind,
  again: (problem: string) => Promise<Outcome>,
): Promise<Outcome> {
  const { visit } = context;
  const { url, page } = noteablePaths(context, kind);
  const part = visit.form.get('part');
  if (!isPart(kind, part)) return again('Unknown field.');
  return withFormErrors(async () => {
    const sending = await sendingOf(context, part);
    const answer =
      'change' in sending
        ? await visit.api.ask('PUT', url, sending.change)
        : await visit.api.ask('POST', `${url}/notes`, { body: sending.command });
    if ([400, 409, 422].includes(answer.status)) return again(refusalOf(answer).reason);
    if (answer.status >= 300) throw refusalOf(answer);
    return { redirect: page };
  }, again);
}

export const sidebarPages = (
  kind: Kind,
  show: (context: ProjectContext, problem: string) => Promise<Outcome>,
): Page[] => [
  projectPage({
    method: 'POST',
    path: `/:project/-/${kind}/:iid/sidebar`,
    show: (context) => save(context, kind, (problem) => show(context, problem)),
  }),
];
