import { trimCharacters } from '../../platform/trim.ts';
import { alert, hiddenFields } from '../forms/card.ts';
import { type Entity, type JsonBody, refusalOf } from '../frame/api.ts';
import { type Html, html } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { type ProjectContext, pageNotFound, projectPage } from '../namespaces/project.ts';
import { roleInProject } from '../namespaces/roles.ts';
import { actionButton } from './discussion.ts';
import { type Kind, mayPlan, noteablePaths } from './kind.ts';

/** Attribute changes by button. */
const switches: Readonly<Record<string, JsonBody>> = {
  lock: { discussion_locked: true },
  unlock: { discussion_locked: false },
  hide: { confidential: true },
  reveal: { confidential: false },
};

const mayDelete = ({ visit, project }: ProjectContext, issue: Entity) => {
  const role = roleInProject(visit, project);
  return role >= 50 || (role === 15 && issue.issue_type !== 'incident');
};

function moveForm({ visit, home }: ProjectContext, issue: Entity, problem: string | undefined): Html {
  const failed = problem !== undefined && visit.form.get('part') === 'move';
  const typed = failed ? visit.form.get('to') : '';
  return html`<details${failed && html` open`}><summary>Move or copy</summary><form class="card" method="post" action="${home}/-/issues/${issue.iid}/move">${csrfField(visit)}${hiddenFields({ part: 'move' })}${failed && alert(problem)}<label>To the project<input name="to" required placeholder="group/project" value="${typed}"></label><label class="tick"><input type="checkbox" name="with_notes" value="true"> Copy comments too</label><div class="row">${issue.moved_to_id === null && html`<button>Move</button>`}<button name="as" value="clone">Copy</button></div></form></details>`;
}

/** Actions on an issue or merge request, for users who can plan. */
export function itemActions(context: ProjectContext, kind: Kind, item: Entity, problem?: string): Html | false {
  if (!mayPlan(context, kind)) return false;
  const { visit, home } = context;
  const page = `${home}/-/${kind}/${item.iid}`;
  const button = (name: string, text: string) => actionButton(visit, `${page}/switch`, text, { name });
  const lock = item.discussion_locked
    ? button('unlock', 'Unlock the discussion')
    : button('lock', 'Lock the discussion');
  const hide =
    kind === 'issues' &&
    (item.confidential ? button('reveal', 'Show it to everyone') : button('hide', 'Make it confidential'));
  const remove =
    kind === 'issues' &&
    mayDelete(context, item) &&
    html`<details><summary>Delete</summary><p>Deleting an issue and its comments cannot be undone.</p>${actionButton(visit, `${page}/remove`, 'Delete the issue')}</details>`;
  return html`<section class="acts"><h2>Actions</h2>${lock}${hide}${kind === 'issues' && moveForm(context, item, problem)}${remove}</section>`;
}

async function change(context: ProjectContext, kind: Kind): Promise<Outcome> {
  const { url, page } = noteablePaths(context, kind);
  const name = context.visit.form.get('name') ?? '';
  const sent = Object.hasOwn(switches, name) ? switches[name] : undefined;
  if (!sent) throw pageNotFound();
  await context.visit.api.send('PUT', url, sent);
  return { redirect: page };
}

export const switchPages = (kind: Kind): Page[] => [
  projectPage({ method: 'POST', path: `/:project/-/${kind}/:iid/switch`, show: (context) => change(context, kind) }),
];

/** Moves or clones an issue and redirects to the result. */
export async function moveIssue(
  context: ProjectContext,
  again: (problem: string) => Promise<Outcome>,
): Promise<Outcome> {
  const { visit } = context;
  const { form, base } = visit;
  const path = trimCharacters((form.get('to') ?? '').trim(), '/');
  const project = path === '' ? undefined : await visit.api.maybe(`/projects/${encodeURIComponent(path)}`);
  if (!project) return again('The project does not exist, or you do not have access to it.');
  const isCopy = form.get('as') === 'clone';
  const answer = await visit.api.ask('POST', `${noteablePaths(context, 'issues').url}/${isCopy ? 'clone' : 'move'}`, {
    to_project_id: project.id,
    ...(isCopy && { with_notes: form.get('with_notes') === 'true' }),
  });
  if ([400, 422].includes(answer.status)) return again(refusalOf(answer).reason);
  if (answer.status >= 300) throw refusalOf(answer);
  return { redirect: `${base}/${project.path_with_namespace}/-/issues/${answer.body.iid}` };
}
