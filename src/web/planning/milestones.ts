import { alert, card, submit } from '../forms/card.ts';
import type { Section, SectionContext } from '../forms/collection.ts';
import { type Field, readFields, submittedValues } from '../forms/fields.ts';
import type { Entity } from '../frame/api.ts';
import { badge, listOr } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { renderOne } from '../frame/markdown.ts';
import { pageOf, pager, withQuery } from '../frame/paging.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { pageNotFound } from '../namespaces/project.ts';
import { adminAccessLevel } from '../namespaces/roles.ts';
import { actionButton } from './discussion.ts';
import { viewLinks } from './filters.ts';
import { milestoneCharts } from './milestone-charts.ts';
import { pathOf, progress, workItem } from './work-item.ts';

const fields: readonly Field[] = [
  { name: 'title', label: 'Title', required: true },
  { name: 'start_date', label: 'Begins', kind: 'date' },
  { name: 'due_date', label: 'Due', kind: 'date' },
  { name: 'description', label: 'Description', kind: 'markdown' },
];

const least = 15;

const states = [
  ['active', '?state=active'],
  ['closed', '?state=closed'],
] as const;

async function listPage(context: SectionContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const state = visit.query.get('state') === 'closed' ? 'closed' : 'active';
  const query = { per_page: 20, page: pageOf(visit), state, include_ancestors: true };
  const answer = await visit.api.page(`${api}/milestones`, query);
  const item = (one: Entity) =>
    html`<li class="row"><a class="main" href="${pathOf(one.web_url, visit.base)}"><strong>${one.title}</strong></a>${badge(one.state)}${one.expired && badge('expired')}<span class="end muted">${one.due_date && html`due ${one.due_date}`}</span></li>`;
  const add =
    context.role >= least && html`<a class="button primary end" href="${home}/-/milestones/new">New milestone</a>`;
  const empty = 'No milestones. A milestone groups issues and merge requests for a due date.';
  const body = html`<div class="row"><h1>Milestones</h1>${add}</div>${viewLinks(states, state)}${listOr(answer.body, item, empty)}${pager(visit, answer)}`;
  return context.show({ title: 'Milestones', body });
}

async function found({ visit, api }: SectionContext): Promise<Entity> {
  const [milestone] = await visit.api.get(`${api}/milestones`, { iids: [visit.params.iid] });
  if (!milestone) throw pageNotFound();
  return milestone;
}

const shownOf = ({ visit }: SectionContext): 'opened' | 'closed' | 'merge_requests' => {
  const filter = visit.query.get('show');
  return filter === 'closed' || filter === 'merge_requests' ? filter : 'opened';
};

/** Lists the milestone's open issues, closed issues or merge requests. */
async function contents(context: SectionContext, milestone: Entity, counts: Entity): Promise<Html> {
  const { visit, api } = context;
  const show = shownOf(context);
  const query = { milestone: milestone.title, scope: 'all', per_page: 20, page: pageOf(visit) };
  const answer =
    show === 'merge_requests'
      ? await visit.api.ask('GET', `${api}/merge_requests`, query)
      : await visit.api.page(`${api}/issues`, { ...query, state: show, with_labels_details: true });
  const items: readonly Entity[] = answer.status < 300 ? answer.body : [];
  const to = (value: string) => withQuery(visit, { show: value, page: undefined });
  const links = [
    ['opened', `Open issues${counts ? ` ${counts.opened}` : ''}`],
    ['closed', `Closed issues${counts ? ` ${counts.closed}` : ''}`],
    ['merge_requests', 'Merge requests'],
  ] as const;
  const current = links.find(([value]) => value === show)?.[1] ?? '';
  const bar = viewLinks(
    links.map(([value, text]) => [text, to(value)] as const),
    current,
  );
  const empty = show === 'merge_requests' ? 'No merge requests.' : `No ${show === 'closed' ? 'closed' : 'open'} issue.`;
  return html`${bar}${listOr(items, (one) => workItem(visit, one), empty)}${pager(visit, answer)}`;
}

/** The button that promotes a project milestone to a group milestone, for members of the group who can plan. */
function promotion({ visit, project, home }: SectionContext, { iid }: Entity): Html | false {
  const group = project?.namespace;
  const role = visit.user?.admin ? adminAccessLevel : (project?.permissions?.group_access?.access_level ?? 0);
  if (group?.kind !== 'group' || role < least) return false;
  return html`<details><summary>Promote to group milestone</summary><p>All projects of <a href="${visit.base}/${group.full_path}">${group.full_path}</a> can use it then. Project milestones with the same title are merged into it. This cannot be undone.</p>${actionButton(visit, `${home}/-/milestones/${iid}/promote`, 'Promote')}</details>`;
}

async function onePage(context: SectionContext, problem?: string): Promise<Outcome> {
  const { visit, api, home } = context;
  const milestone = await found(context);
  const filter = { milestone: milestone.title, scope: 'all' };
  const [text, charts, numbers] = await Promise.all([
    renderOne(visit, context.markdown, milestone.description ?? ''),
    milestoneCharts(context, milestone),
    visit.api.maybe(`${api}/issues_statistics`, filter),
  ]);
  const counts = numbers?.statistics?.counts;
  const listed = await contents(context, milestone, counts);
  const page = `${home}/-/milestones/${milestone.iid}`;
  const event = milestone.state === 'active' ? 'close' : 'activate';
  const buttons =
    context.role >= least &&
    html`<span class="end row"><a class="button" href="${page}/edit">Edit</a>${actionButton(visit, `${page}/state`, event === 'close' ? 'Close' : 'Open again', { event })}${actionButton(visit, `${page}/remove`, 'Delete', {}, { confirm: 'Delete this milestone?' })}</span>`;
  const body = html`<div class="row"><h1>${milestone.title}</h1>${badge(milestone.state)}${milestone.expired && badge('expired')}${buttons}</div>${alert(problem)}<p class="muted">${milestone.start_date} ${milestone.due_date && html`until ${milestone.due_date}`}</p>${counts && progress(counts.all, counts.closed)}${text}${charts}${listed}${promotion(context, milestone)}`;
  return context.show({ title: milestone.title, body, ...(problem !== undefined && { status: 422 }) });
}

async function promote(context: SectionContext): Promise<Outcome> {
  const { visit, api, project } = context;
  const { id } = await found(context);
  return submit(visit, {
    method: 'POST',
    path: `${api}/milestones/${id}/promote`,
    sent: {},
    to: `${visit.base}/groups/${project?.namespace?.full_path}/-/milestones`,
    again: (problem) => onePage(context, problem),
  });
}

async function formPage(context: SectionContext, problem?: string): Promise<Outcome> {
  const { visit, home } = context;
  const isNew = visit.params.iid === undefined;
  const stored = isNew || problem !== undefined ? {} : await found(context);
  const body = card(visit, {
    action: isNew ? `${home}/-/milestones` : `${home}/-/milestones/${visit.params.iid}/edit`,
    title: isNew ? 'New milestone' : 'Edit milestone',
    fields,
    values: problem === undefined ? stored : submittedValues(fields, visit.form),
    button: isNew ? 'Create milestone' : 'Save',
    problem,
  });
  return context.show({ title: 'Milestone', body, ...(problem !== undefined && { status: 422 }) });
}

async function create(context: SectionContext): Promise<Outcome> {
  const { visit, api, home } = context;
  return submit(visit, {
    method: 'POST',
    path: `${api}/milestones`,
    sent: readFields(fields, visit.form),
    to: (created) => `${home}/-/milestones/${created.iid}`,
    again: (problem) => formPage(context, problem),
  });
}

async function save(context: SectionContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const { id } = await found(context);
  return submit(visit, {
    method: 'PUT',
    path: `${api}/milestones/${id}`,
    sent: readFields(fields, visit.form, 'keep'),
    to: `${home}/-/milestones/${visit.params.iid}`,
    again: (problem) => formPage(context, problem),
  });
}

async function changeState(context: SectionContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const { id } = await found(context);
  await visit.api.send('PUT', `${api}/milestones/${id}`, { state_event: visit.form.get('event') });
  return { redirect: `${home}/-/milestones/${visit.params.iid}` };
}

async function remove(context: SectionContext): Promise<Outcome> {
  const { id } = await found(context);
  await context.visit.api.send('DELETE', `${context.api}/milestones/${id}`);
  return { redirect: `${context.home}/-/milestones` };
}

export function milestonePages(section: Section, prefix: string): Page[] {
  const path = `${prefix}/-/milestones`;
  return [
    section({ path, show: listPage }),
    section({ method: 'POST', path, show: create }),
    section({ path: `${path}/new`, signedIn: true, show: (context) => formPage(context) }),
    section({ path: `${path}/:iid`, show: (context) => onePage(context) }),
    section({ path: `${path}/:iid/edit`, signedIn: true, show: (context) => formPage(context) }),
    section({ method: 'POST', path: `${path}/:iid/edit`, show: save }),
    section({ method: 'POST', path: `${path}/:iid/state`, show: changeState }),
    section({ method: 'POST', path: `${path}/:iid/promote`, show: promote }),
    section({ method: 'POST', path: `${path}/:iid/remove`, show: remove }),
  ];
}
