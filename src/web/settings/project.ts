import { card, submit } from '../forms/card.ts';
import { type Field, readFields, submittedValues } from '../forms/fields.ts';
import { html } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
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
    hint: 'Part of the URL; the old path is redirected',
  },
  { name: 'description', label: 'Description', kind: 'area' },
  { name: 'topics', label: 'Topics', kind: 'words', hint: 'Comma-separated' },
  { name: 'default_branch', label: 'Default branch' },
  { name: 'visibility', label: 'Visibility', kind: 'select', options: visibilities },
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
    label: 'Merge method',
    kind: 'select',
    options: [
      ['merge', 'Merge commit'],
      ['rebase_merge', 'Merge commit with semi-linear history'],
      ['ff', 'Fast-forward merge'],
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
  { name: 'only_allow_merge_if_pipeline_succeeds', label: 'Pipelines must succeed', kind: 'check' },
  { name: 'allow_merge_on_skipped_pipeline', label: 'Skipped pipelines are considered successful', kind: 'check' },
  { name: 'only_allow_merge_if_all_discussions_are_resolved', label: 'All threads must be resolved', kind: 'check' },
  { name: 'only_allow_merge_if_all_status_checks_passed', label: 'All status checks must pass', kind: 'check' },
  {
    name: 'prevent_merge_without_jira_issue',
    label: 'A Jira issue is required',
    kind: 'check',
    hint: 'If the Jira integration is active',
  },
  { name: 'merge_request_title_regex', label: 'Title pattern', hint: 'RE2 regular expression' },
  { name: 'merge_request_title_regex_description', label: 'Description of the title pattern' },
  { name: 'merge_pipelines_enabled', label: 'Enable merged results pipelines', kind: 'check' },
  { name: 'merge_trains_enabled', label: 'Enable merge trains', kind: 'check' },
  { name: 'resolve_outdated_diff_discussions', label: 'Resolve outdated diff threads automatically', kind: 'check' },
  { name: 'autoclose_referenced_issues', label: 'Close referenced issues on merge', kind: 'check' },
  { name: 'remove_source_branch_after_merge', label: 'Delete the source branch by default', kind: 'check' },
  { name: 'merge_requests_template', label: 'Description template', kind: 'area' },
  {
    name: 'merge_commit_template',
    label: 'Merge commit message template',
    kind: 'area',
    hint: 'With placeholders such as %{title}, %{description} and %{source_branch}; empty: default',
  },
  { name: 'squash_commit_template', label: 'Squash commit message template', kind: 'area' },
  { name: 'issue_branch_template', label: 'Issue branch name template', hint: 'With %{id} and %{title}' },
  { name: 'suggestion_commit_message', label: 'Suggestion commit message' },
];

const pipelines: readonly Field[] = [
  {
    name: 'ci_config_path',
    label: 'CI/CD configuration file',
    placeholder: '.gitlab-ci.yml',
    hint: 'Empty: .gitlab-ci.yml; file@group/project: file in another project',
  },
  { name: 'build_timeout', label: 'Job timeout in seconds', kind: 'number' },
  { name: 'ci_default_git_depth', label: 'Git shallow clone depth', kind: 'number', hint: '0: all' },
  {
    name: 'auto_cancel_pending_pipelines',
    label: 'Redundant pipelines',
    kind: 'select',
    options: [
      ['enabled', 'Cancel automatically'],
      ['disabled', 'Keep running'],
    ],
  },
  { name: 'shared_runners_enabled', label: 'Enable instance runners', kind: 'check' },
  { name: 'group_runners_enabled', label: 'Enable group runners', kind: 'check' },
  { name: 'public_jobs', label: 'Public pipelines', kind: 'check' },
  { name: 'keep_latest_artifact', label: 'Keep artifacts of the latest pipelines', kind: 'check' },
];

const forms = { general, features: featureFields, merging, pipelines } as const;
type Name = keyof typeof forms;
const isForm = (name: string): name is Name => Object.hasOwn(forms, name);

const titles: Readonly<Record<Name, string>> = {
  general: 'Name and visibility',
  features: 'Features',
  merging: 'Merge requests',
  pipelines: 'Pipelines',
};

function dangers({ visit, project, home }: ProjectContext) {
  const action = `${home}/-/settings/danger`;
  const archive = project.archived
    ? actionButton(visit, action, 'Unarchive the project', { action: 'unarchive' })
    : actionButton(visit, action, 'Archive the project', { action: 'archive' });
  const scheduled = project.marked_for_deletion_on ?? project.marked_for_deletion_at;
  const remove = scheduled
    ? html`<p>It is deleted on ${scheduled}. ${actionButton(visit, action, 'Keep it', { action: 'restore' })}</p>`
    : html`<form class="card" method="post" action="${action}">${csrfField(visit)}<input type="hidden" name="action" value="delete"><label>Type <code>${project.path_with_namespace}</code> to delete the project<input name="confirm" required autocomplete="off"></label><div class="row"><button class="danger">Delete the project</button></div></form>`;
  const move = html`<form class="card" method="post" action="${action}">${csrfField(visit)}<input type="hidden" name="action" value="transfer"><label>Transfer to another group<input name="namespace" required placeholder="group/subgroup"></label><div class="row"><button>Move the project</button></div></form>`;
  return html`<h2>Archive, move, delete</h2><p>An archived project is read-only. ${archive}</p>${move}${remove}`;
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
        values: name === failed ? submittedValues(forms[name], visit.form) : project,
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
    notice: 'Saved.',
    again: (problem) => settingsPage(context, known, problem),
  });
}

async function danger(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home, project } = context;
  const action = visit.form.get('action');
  if (action === 'delete') {
    if (visit.form.get('confirm') !== project.path_with_namespace)
      return settingsPage(context, undefined, 'The path does not match: nothing was deleted.');
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
