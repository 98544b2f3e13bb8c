import type { Field } from '../forms/fields.ts';

export const branches: Field = {
  name: 'branches_to_be_notified',
  label: 'Branches',
  kind: 'select',
  options: [
    ['default', 'The default branch'],
    ['protected', 'Protected branches'],
    ['default_and_protected', 'The default branch and protected ones'],
    ['all', 'All'],
  ],
};
export const broken: Field = {
  name: 'notify_only_broken_pipelines',
  label: 'Failed pipelines only',
  kind: 'check',
};

const recipients: Field = {
  name: 'recipients',
  label: 'Addresses',
  kind: 'area',
  required: true,
  hint: 'Separated by spaces or lines; recipients need not have access to the project',
};

const address = (name: string, label: string, hint?: string): Field => ({
  name,
  label,
  kind: 'url',
  required: true,
  ...(hint === undefined ? {} : { hint }),
});
const linked = [
  address('project_url', 'Project URL'),
  address('issues_url', 'Issue URL', 'With :id as placeholder for the issue ID'),
];
const tracker = [...linked, address('new_issue_url', 'New issue URL')];

const jira: readonly Field[] = [
  address('url', 'Jira URL'),
  { name: 'api_url', label: 'Jira API URL', kind: 'url', hint: 'If different' },
  {
    name: 'jira_auth_type',
    label: 'Authentication',
    kind: 'rank',
    options: [
      ['0', 'Username and password or API token'],
      ['1', 'Personal access token'],
    ],
  },
  { name: 'username', label: 'Username or email' },
  { name: 'password', label: 'Password or token', kind: 'password', hint: 'Empty: unchanged' },
  { name: 'commit_events', label: 'Commits', kind: 'check' },
  { name: 'merge_requests_events', label: 'Merge requests', kind: 'check' },
  { name: 'comment_on_event_enabled', label: 'Comment on mentioned issues', kind: 'check' },
  {
    name: 'jira_issue_transition_automatic',
    label: 'Transition closed issues to the first done status',
    kind: 'check',
  },
  { name: 'jira_issue_transition_id', label: 'Transition IDs', hint: 'Comma-separated numbers' },
  { name: 'jira_issue_regex', label: 'Issue key pattern', hint: 'Such as [A-Z]+-[0-9]+; empty: default' },
  { name: 'jira_issue_prefix', label: 'Issue key prefix' },
];

const secret = (name: string, label: string): Field => ({ name, label, kind: 'password', hint: 'Empty: unchanged' });
const pushes: readonly Field[] = [
  { name: 'push_events', label: 'Pushes', kind: 'check' },
  { name: 'tag_push_events', label: 'Tags', kind: 'check' },
  { name: 'merge_requests_events', label: 'Merge requests', kind: 'check' },
];

const jenkins: readonly Field[] = [
  address('jenkins_url', 'Jenkins URL'),
  { name: 'project_name', label: 'Project', required: true, hint: 'As in its URL; folders as folder/job/name' },
  { name: 'username', label: 'Username' },
  secret('password', 'Password or API token'),
  { name: 'enable_ssl_verification', label: 'Verify the certificate', kind: 'check' },
  ...pushes,
];
const datadog: readonly Field[] = [
  secret('api_key', 'API key'),
  { name: 'datadog_site', label: 'Site', hint: 'Such as datadoghq.eu; empty: datadoghq.com' },
  { name: 'api_url', label: 'API URL', kind: 'url', hint: 'Instead of the site' },
  { name: 'datadog_service', label: 'Service' },
  { name: 'datadog_env', label: 'Environment' },
  { name: 'datadog_tags', label: 'Tags', kind: 'area', hint: 'One per line, such as key:value' },
  ...pushes,
  { name: 'note_events', label: 'Comments', kind: 'check' },
  { name: 'pipeline_events', label: 'Pipelines', kind: 'check' },
  { name: 'job_events', label: 'Jobs', kind: 'check' },
];
const packagist: readonly Field[] = [
  { name: 'username', label: 'Username', required: true },
  secret('token', 'API token'),
  { name: 'server', label: 'Server', kind: 'url', hint: 'Empty: packagist.org' },
  ...pushes,
];
const github: readonly Field[] = [
  address('repository_url', 'Repository URL'),
  secret('token', 'Token'),
  { name: 'static_context', label: 'Name statuses by this server instead of by branch', kind: 'check' },
];
const harbor: readonly Field[] = [
  address('url', 'Harbor URL'),
  { name: 'project_name', label: 'Project', required: true },
  { name: 'username', label: 'Username', required: true },
  secret('password', 'Password'),
];

interface Kind {
  readonly title: string;
  /** Initial values of an integration that is not set up. */
  readonly start?: Readonly<Record<string, unknown>>;
  readonly fields: readonly Field[];
}

/** Integrations with their own settings page, by slug. */
export const kinds: Readonly<Record<string, Kind>> = {
  'emails-on-push': {
    title: 'Emails on push',
    start: { branches_to_be_notified: 'all' },
    fields: [
      recipients,
      branches,
      { name: 'push_events', label: 'Of branches', kind: 'check' },
      { name: 'tag_push_events', label: 'Of tags', kind: 'check' },
      { name: 'disable_diffs', label: 'Without diffs', kind: 'check' },
      {
        name: 'send_from_committer_email',
        label: 'Send from the author’s address, if it is in the domain of this server',
        kind: 'check',
      },
    ],
  },
  'pipelines-email': {
    title: 'Pipeline status emails',
    start: { notify_only_broken_pipelines: true },
    fields: [recipients, branches, broken],
  },
  jira: { title: 'Jira', start: { comment_on_event_enabled: true }, fields: jira },
  jenkins: { title: 'Jenkins', start: { enable_ssl_verification: true }, fields: jenkins },
  datadog: { title: 'Datadog', fields: datadog },
  packagist: { title: 'Packagist', fields: packagist },
  github: { title: 'GitHub', start: { static_context: true }, fields: github },
  harbor: { title: 'Harbor', fields: harbor },
  redmine: { title: 'Redmine', fields: tracker },
  bugzilla: { title: 'Bugzilla', fields: tracker },
  'custom-issue-tracker': { title: 'Another issue tracker', fields: tracker },
  ewm: { title: 'EWM', fields: tracker },
  youtrack: { title: 'YouTrack', fields: linked },
  clickup: { title: 'ClickUp', fields: linked },
};
