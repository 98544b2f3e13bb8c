import { card, submit } from '../forms/card.ts';
import { type Field, readFields, typed } from '../forms/fields.ts';
import { html } from '../frame/html.ts';
import { proof } from '../frame/layout.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { inProject, type ProjectContext, projectPage } from '../namespaces/project.ts';
import { inProjectSettings } from '../namespaces/sections.ts';
import { actionButton } from '../planning/discussion.ts';

export const visibilities: readonly (readonly [string, string])[] = [
  ['private', 'Private: its members'],
  ['internal', 'Internal: everyone who is signed in'],
  ['public', 'Public: everyone'],
];

const access: readonly (readonly [string, string])[] = [
  ['enabled', 'Everyone who sees the project'],
  ['private', 'Only members'],
  ['disabled', 'Off'],
];

const features: readonly (readonly [string, string])[] = [
  ['issues', 'Issues'],
  ['repository', 'Repository'],
  ['merge_requests', 'Merge requests'],
  ['forking', 'Forks'],
  ['builds', 'CI/CD'],
  ['wiki', 'Wiki'],
  ['snippets', 'Snippets'],
  ['releases', 'Releases'],
  ['package_registry', 'Packages'],
  ['container_registry', 'Images'],
  ['environments', 'Environments'],
  ['feature_flags', 'Feature flags'],
  ['infrastructure', 'Terraform'],
  ['monitor', 'Error tracking'],
];

const general: readonly Field[] = [
  { name: 'name', label: 'Name', required: true },
  {
    name: 'path',
    label: 'Path',
    required: true,
    hint: 'The part of addresses that names it; what asks for the old one is led here',
  },
  { name: 'description', label: 'Description', kind: 'area' },
  { name: 'topics', label: 'Topics', kind: 'words', hint: 'With commas between' },
  { name: 'default_branch', label: 'Default branch' },
  { name: 'visibility', label: 'Who may see it', kind: 'select', options: visibilities },
];

const featureFields: readonly Field[] = features.map(([name, label]) => ({
  name: `${name}_access_level`,
  label,
  kind: 'select',
  options: access,
}));

const merging: readonly Field[] = [
  {
    name: 'merge_method',
    label: 'How merge requests are merged',
    kind: 'select',
    options: [
      ['merge', 'By a merge commit'],
      ['rebase_merge', 'By a merge commit, after a rebase'],
      ['ff', 'By moving the branch forward'],
    ],
  },
  {
    name: 'squash_option',
    label: 'Squashing',
    kind: 'select',
    options: [
      ['never', 'Never'],
      ['always', 'Always'],
      ['default_on', 'Suggested'],
      ['default_off', 'Possible'],
    ],
  },
  { name: 'only_allow_merge_if_pipeline_succeeds', label: 'The pipeline must succeed', kind: 'check' },
  { name: 'allow_merge_on_skipped_pipeline', label: 'A skipped pipeline counts as one that succeeded', kind: 'check' },
  { name: 'only_allow_merge_if_all_discussions_are_resolved', label: 'All threads must be resolved', kind: 'check' },
  { name: 'only_allow_merge_if_all_status_checks_passed', label: 'All status checks must pass', kind: 'check' },
  {
    name: 'prevent_merge_without_jira_issue',
    label: 'An issue of Jira must be named',
    kind: 'check',
    hint: 'Where the project uses the integration of Jira',
  },
  { name: 'merge_request_title_regex', label: 'Expression that titles must match', hint: 'In the syntax of RE2' },
  { name: 'merge_request_title_regex_description', label: 'That expression in words' },
  { name: 'merge_pipelines_enabled', label: 'Pipelines run for what a merge would make', kind: 'check' },
  { name: 'merge_trains_enabled', label: 'Merge requests are merged one after the other, on a train', kind: 'check' },
  { name: 'resolve_outdated_diff_discussions', label: 'Threads about lines that change are resolved', kind: 'check' },
  { name: 'autoclose_referenced_issues', label: 'A merge closes the issues that it says it closes', kind: 'check' },
  { name: 'remove_source_branch_after_merge', label: 'Suggest to delete the source branch', kind: 'check' },
  { name: 'merge_requests_template', label: 'What descriptions begin with', kind: 'area' },
  {
    name: 'merge_commit_template',
    label: 'Message of merge commits',
    kind: 'area',
    hint: 'With %{title}, %{description}, %{source_branch} and the like; empty for the usual one',
  },
  { name: 'squash_commit_template', label: 'Message of squashed commits', kind: 'area' },
  { name: 'issue_branch_template', label: 'Names of branches for issues', hint: 'With %{id} and %{title}' },
  { name: 'suggestion_commit_message', label: 'Message of suggestions that are applied' },
];

const pipelines: readonly Field[] = [
  {
    name: 'ci_config_path',
    label: 'File that says what jobs there are',
    placeholder: '.gitlab-ci.yml',
    hint: 'Empty for .gitlab-ci.yml; file@group/project for that of another project',
  },
  { name: 'build_timeout', label: 'Seconds after which a job is ended', kind: 'number' },
  { name: 'ci_default_git_depth', label: 'Commits that a job fetches', kind: 'number', hint: '0 for all' },
  {
    name: 'auto_cancel_pending_pipelines',
    label: 'Pipelines of a branch that has moved on',
    kind: 'select',
    options: [
      ['enabled', 'Are canceled where their jobs allow it'],
      ['disabled', 'Run to their end'],
    ],
  },
  { name: 'shared_runners_enabled', label: 'Runners of the instance take its jobs', kind: 'check' },
  { name: 'group_runners_enabled', label: 'Runners of its groups take its jobs', kind: 'check' },
  { name: 'public_jobs', label: 'Whoever sees the project sees its jobs and their logs', kind: 'check' },
  { name: 'keep_latest_artifact', label: 'The artifacts of the last pipeline of a branch are kept', kind: 'check' },
];

const forms = { general, features: featureFields, merging, pipelines } as const;
type Name = keyof typeof forms;
const isForm = (name: string): name is Name => Object.hasOwn(forms, name);

const titles: Readonly<Record<Name, string>> = {
  general: 'Name and visibility',
  features: 'What the project has',
  merging: 'Merge requests',
  pipelines: 'Pipelines',
};

function dangers({ visit, project, home }: ProjectContext) {
  const action = `${home}/-/settings/danger`;
  const archive = project.archived
    ? actionButton(visit, action, 'Open the project again', { action: 'unarchive' })
    : actionButton(visit, action, 'Archive the project', { action: 'archive' });
  const scheduled = project.marked_for_deletion_on ?? project.marked_for_deletion_at;
  const remove = scheduled
    ? html`<p>It is deleted on ${scheduled}. ${actionButton(visit, action, 'Keep it', { action: 'restore' })}</p>`
    : html`<form class="card" method="post" action="${action}">${proof(visit)}<input type="hidden" name="action" value="delete"><label>Type <code>${project.path_with_namespace}</code> to delete the project<input name="confirm" required autocomplete="off"></label><div class="row"><button class="danger">Delete the project</button></div></form>`;
  const move = html`<form class="card" method="post" action="${action}">${proof(visit)}<input type="hidden" name="action" value="transfer"><label>Move it into another group<input name="namespace" required placeholder="group/subgroup"></label><div class="row"><button>Move the project</button></div></form>`;
  return html`<h2>Archive, move, delete</h2><p>An archived project can be read, and nothing in it changed. ${archive}</p>${move}${remove}`;
}

function settingsPage(context: ProjectContext, failed?: Name, problem?: string): Outcome {
  const { visit, home, project } = context;
  const drawn = Object.keys(forms)
    .filter(isForm)
    .map((name) =>
      card(visit, {
        action: `${home}/-/settings/general/${name}`,
        title: titles[name],
        fields: forms[name],
        values: name === failed ? typed(forms[name], visit.form) : project,
        button: 'Save',
        problem: name === failed ? problem : undefined,
      }),
    );
  const body = html`<h1>Settings</h1>${problem !== undefined && failed === undefined && html`<p class="notice" role="alert">${problem}</p>`}${drawn}${dangers(context)}`;
  const status = problem !== undefined && { status: 422 };
  return inProject(context, { title: 'Settings', tab: 'settings', body: inProjectSettings(context, body), ...status });
}

async function save(context: ProjectContext): Promise<Outcome> {
  const { visit, api } = context;
  const name = visit.params.form ?? '';
  const known = isForm(name) ? name : 'general';
  return submit(visit, {
    method: 'PUT',
    path: api,
    sent: readFields(forms[known], visit.form, 'keep'),
    to: (saved) => `${visit.base}/${saved.path_with_namespace}/edit`,
    told: 'Saved.',
    again: (problem) => settingsPage(context, known, problem),
  });
}

async function danger(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home, project } = context;
  const action = visit.form.get('action');
  if (action === 'delete') {
    if (visit.form.get('confirm') !== project.path_with_namespace)
      return settingsPage(
        context,
        undefined,
        'The path that was typed is not that of the project: nothing was deleted.',
      );
    await visit.api.send('DELETE', api);
    return { redirect: `${visit.base}/` };
  }
  if (action === 'transfer') {
    return submit(visit, {
      method: 'PUT',
      path: `${api}/transfer`,
      sent: { namespace: visit.form.get('namespace') },
      to: (moved) => `${visit.base}/${moved.path_with_namespace}/edit`,
      again: (problem) => settingsPage(context, undefined, problem),
    });
  }
  if (action === 'archive' || action === 'unarchive' || action === 'restore')
    await visit.api.send('POST', `${api}/${action}`);
  return { redirect: `${home}/edit` };
}

export const projectSettingsPages: readonly Page[] = [
  projectPage({ path: '/:project/edit', signedIn: true, show: (context) => settingsPage(context) }),
  projectPage({ method: 'POST', path: '/:project/-/settings/general/:form', show: save }),
  projectPage({ method: 'POST', path: '/:project/-/settings/danger', show: danger }),
];
