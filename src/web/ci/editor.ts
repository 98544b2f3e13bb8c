import {
  branchField,
  commit,
  type Editable,
  editableAt,
  mayEdit,
  messageField,
  type Start,
  seenFields,
  textArea,
  typedText,
} from '../code/edit.ts';
import { alert, hiddenFields } from '../forms/card.ts';
import { drawField, type Field, normalizeLineEndings } from '../forms/fields.ts';
import { type Entity, Refusal } from '../frame/api.ts';
import { badge, count } from '../frame/format.ts';
import { type Html, html, type Part } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { inProject, type ProjectContext, pageNotFound, projectPage, sectionTitle } from '../namespaces/project.ts';

const path = '/-/ci/editor';
const maxJobs = 200;
const maxShown = 50_000;

const example = `stages: [build, test]

build:
  stage: build
  script:
    - echo "Build here"

test:
  stage: test
  script:
    - echo "Test here"
`;

/** Returns the path of the CI configuration; undefined if it is outside of the project. */
export function configPath(setting: string | null | undefined): string | undefined {
  if (!setting) return '.gitlab-ci.yml';
  return /^https?:\/\//i.test(setting) || setting.includes('@') ? undefined : setting.replace(/^\/+/, '');
}

/** Determines the branch where the configuration is read and written; an empty repository gets its first commit. */
async function startOf({ visit, api, project }: ProjectContext, file: string): Promise<Start> {
  const ref = (visit.query.get('branch_name') || project.default_branch) ?? 'main';
  if (project.empty_repo === true) return { ref, path: file };
  const branch = await visit.api.maybe(`${api}/repository/branches/${encodeURIComponent(ref)}`);
  if (!branch) throw pageNotFound();
  return { ref, path: file, commit: branch.commit };
}

/** Returns the file on the branch, or undefined if it does not exist. */
const fileOf = async (context: ProjectContext, start: Start): Promise<Editable | undefined> =>
  start.commit ? editableAt(context, { ...start, commit: start.commit }) : undefined;

const simulation: Field = {
  name: 'dry_run',
  label: 'Simulate a pipeline for a push',
  kind: 'check',
};

function jobList(jobs: readonly Entity[]): Html {
  const row = ({ name, stage, when, environment, allow_failure: mayFail }: Entity) => {
    const words = [when.replaceAll('_', ' '), environment, mayFail && 'may fail'].filter(Boolean).join(' · ');
    return html`<li class="row"><strong>${name}</strong><span class="muted">${stage}</span><span class="end muted">${words}</span></li>`;
  };
  const more = jobs.length > maxJobs && html`<p class="muted">And ${jobs.length - maxJobs} more.</p>`;
  return html`<ul class="list" aria-label="Jobs">${jobs.slice(0, maxJobs).map(row)}</ul>${more}`;
}

/** Shows the result of linting a configuration. */
export function verdict(result: Entity): Html {
  const { valid, errors, warnings, jobs = [], merged_yaml: merged } = result;
  const texts = (name: string, list: readonly string[]): Part =>
    list.length > 0 && html`<h3>${name}</h3><ul>${list.map((text) => html`<li>${text}</li>`)}</ul>`;
  const cut = merged && merged.length > maxShown && html`<p class="muted">The rest is too long to display.</p>`;
  const whole =
    merged &&
    html`<details><summary>Full configuration with includes</summary><pre class="box"><code class="inner">${merged.slice(0, maxShown).toWellFormed()}</code></pre>${cut}</details>`;
  const word = valid ? html`It can be run: ${count(jobs.length, 'job')}.` : 'The configuration is invalid.';
  return html`<section class="box" id="verdict" role="status"><div class="inner"><p class="row">${badge(valid ? 'passed' : 'failed', valid ? 'valid' : 'invalid')}<span>${word}</span></p>${texts('Errors', errors)}${texts('Warnings', warnings)}${jobs.length > 0 && jobList(jobs)}${whole}</div></section>`;
}

interface Shown {
  readonly start: Start;
  readonly file: Editable | undefined;
  readonly result: Entity | undefined;
  readonly problem?: string;
}

function branchForm({ visit, home }: ProjectContext, { ref }: Start): Html {
  return html`<form class="filters" action="${home}${path}"><label>Branch<input name="branch_name" value="${ref}" required></label><button>Show</button>${visit.query.get('branch_name') && html`<a href="${home}${path}">The default branch</a>`}</form>`;
}

function editorPage(context: ProjectContext, { start, file, result, problem }: Shown): Outcome {
  const { visit, home, project } = context;
  const { form } = visit;
  const isSent = visit.request.method === 'POST';
  const stored = file ? file.text : example;
  const message = file ? `Update ${start.path}` : `Add ${start.path}`;
  const typed = isSent ? Object.fromEntries(form) : { commit_message: message, branch: start.ref };
  const action = `${home}${path}?${new URLSearchParams({ branch_name: start.ref })}`;
  const fields = html`${textArea(isSent ? (form.get('content') ?? '') : (stored ?? ''), start.path)}${drawField(simulation, isSent && form.get('dry_run'))}<div class="row"><button name="do" value="validate" formnovalidate>Validate</button></div>${drawField(messageField, typed.commit_message)}${drawField(branchField, typed.branch)}<div class="row"><button class="primary" name="do" value="commit">Commit changes</button></div>`;
  const hidden = file ? seenFields(form, file) : {};
  const editor =
    stored === undefined
      ? alert('This file is binary or too large to edit in a browser. Edit it with Git and push.')
      : html`<form class="card wide" method="post" action="${action}" data-turbo="false">${csrfField(visit)}${hiddenFields(hidden)}${alert(problem)}${fields}</form>`;
  const absent =
    !file && html`<p class="muted">This branch has no <code>${start.path}</code> yet. Here is an example.</p>`;
  const body = html`${sectionTitle('Pipeline editor')}${!project.empty_repo && branchForm(context, start)}${absent}${result && verdict(result)}${editor}`;
  return inProject(context, {
    title: 'Pipeline editor',
    tab: 'pipelines',
    body,
    ...(problem !== undefined && { status: 422 }),
  });
}

/** Shown if the configuration is in another project or at a URL. */
function elsewhere(context: ProjectContext): Outcome {
  const body = html`${sectionTitle('Pipeline editor')}<p class="empty">The configuration of this project is at <code>${context.project.ci_config_path}</code></p>`;
  return inProject(context, { title: 'Pipeline editor', tab: 'pipelines', body });
}

type Editing = Pick<Shown, 'start' | 'file'>;

/** Loads the edited file and checks that the user may push. */
const editing =
  (show: (context: ProjectContext, edited: Editing) => Promise<Outcome>) =>
  async (context: ProjectContext): Promise<Outcome> => {
    const file = configPath(context.project.ci_config_path);
    if (file === undefined) return elsewhere(context);
    if (!mayEdit(context, { ref: '', commit: undefined })) {
      throw new Refusal(403, 'You need permission to push to edit the configuration.');
    }
    const start = await startOf(context, file);
    return show(context, { start, file: await fileOf(context, start) });
  };

/** Shows the file with its lint result. */
async function open(context: ProjectContext, { start, file }: Editing): Promise<Outcome> {
  const { visit, api } = context;
  const query = { content_ref: start.commit?.id, dry_run_ref: start.ref, include_jobs: true };
  const result = file && (await visit.api.maybe(`${api}/ci/lint`, query));
  return editorPage(context, { start, file, result });
}

async function lint({ visit, api }: ProjectContext, { start }: Editing): Promise<Entity> {
  return visit.api.send('POST', `${api}/ci/lint`, {
    content: normalizeLineEndings(visit.form.get('content') ?? ''),
    ref: start.ref,
    include_jobs: true,
    dry_run: visit.form.get('dry_run') === 'true',
  });
}

async function send(context: ProjectContext, edited: Editing): Promise<Outcome> {
  const { form } = context.visit;
  const { start, file } = edited;
  if (form.get('do') !== 'commit') return editorPage(context, { ...edited, result: await lint(context, edited) });
  const action = {
    action: file ? 'update' : 'create',
    file_path: start.path,
    content: typedText(form),
    ...(file && { last_commit_id: form.get('last_commit_id') ?? '' }),
  };
  return commit(context, start, action, (problem) => editorPage(context, { ...edited, result: undefined, problem }));
}

export const editorPages: readonly Page[] = [
  projectPage({ path: `/:project${path}`, signedIn: true, show: editing(open) }),
  projectPage({ method: 'POST', path: `/:project${path}`, show: editing(send) }),
];
