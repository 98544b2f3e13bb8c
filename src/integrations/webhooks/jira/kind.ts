import { trimTrailing } from '../../../platform/trim.ts';
import { userRegexProblem } from '../../../platform/user-regex.ts';
import type { Problems } from '../integrations/kind.ts';
import type { Settings } from '../integrations/settings.ts';
import { webAddressProblem } from '../integrations/web-address.ts';
import type { TrackerKind } from '../trackers/kinds.ts';
import { isKey } from './keys.ts';

/** Username with password or token, or a personal access token alone. */
export const authTypes = { basic: 0, token: 1 } as const;

const maxProjects = 100;
const withoutSlash = (address: string) => trimTrailing(address, '/');

function check(settings: Settings): Problems {
  const { url = '', api_url, username, jira_auth_type, jira_issue_regex, jira_issue_transition_id = '' } = settings;
  const problems: Record<string, string[]> = {};
  const add = (name: string, problem: string | undefined) => {
    if (problem !== undefined) problems[name] = [problem];
  };
  add('url', webAddressProblem(url));
  if (api_url !== undefined) add('api_url', webAddressProblem(api_url));
  if (jira_issue_regex !== undefined) add('jira_issue_regex', userRegexProblem(jira_issue_regex));
  if (!/^(\d{1,10}([,;] *\d{1,10}){0,19})?$/.test(jira_issue_transition_id)) {
    add('jira_issue_transition_id', 'must be numbers separated by commas');
  }
  const known: readonly (number | undefined)[] = [undefined, ...Object.values(authTypes)];
  if (!known.includes(jira_auth_type)) add('jira_auth_type', 'is not included in the list');
  if (jira_auth_type !== authTypes.token && !username) add('username', "can't be blank");
  const keys = settings.project_keys ?? [];
  const areKeys = keys.every((key) => /^[A-Z][A-Z0-9_]{0,49}$/.test(key));
  if (!areKeys || keys.length > maxProjects) add('project_keys', 'is invalid');
  return problems;
}

/** Returns the base URL of Jira's API. */
export const apiAddress = ({ url = '', api_url }: Settings): string => withoutSlash(api_url ?? url);

/** Returns the URL of an issue. */
export const issueAddress = ({ url = '' }: Settings, key: string): string =>
  `${withoutSlash(url)}/browse/${encodeURIComponent(key)}`;

/** The Jira integration: reports commits and merge requests that mention its issues. */
export const jira = {
  title: 'Jira',
  switches: ['commit_events', 'merge_requests_events'],
  secret: 'password',
  required: ['url', 'password'],
  takes: [
    'url',
    'api_url',
    'jira_auth_type',
    'username',
    'jira_issue_prefix',
    'jira_issue_regex',
    'jira_issue_transition_automatic',
    'jira_issue_transition_id',
    'project_keys',
    'issues_enabled',
    'comment_on_event_enabled',
  ],
  defaults: {
    jira_auth_type: authTypes.basic,
    jira_issue_transition_automatic: false,
    issues_enabled: false,
    comment_on_event_enabled: true,
  },
  address: apiAddress,
  addressedBy: 'url',
  check,
  isTracker: true,
  // A reference does not include the text before it, so no links are made if a prefix is configured.
  issueUrl: (settings, written) =>
    settings.jira_issue_prefix === undefined && isKey(settings, written) ? issueAddress(settings, written) : undefined,
} as const satisfies TrackerKind;
