import type { MissingExternalIssueFinder } from '../../../review/merge-requests/public.ts';
import { integrationsOfProjects } from '../hooks/store.ts';
import { isAllowed } from '../integrations/allowed.ts';
import { settingsOf } from '../integrations/settings.ts';
import { keysIn } from './keys.ts';

/** Maximum length of the searched text: a list checks a hundred of them, each with a user-defined expression. */
const longestLook = 10_000;

/** Returns the merge requests that mention no Jira issue although their project's Jira integration requires one. */
export const withoutJiraIssue: MissingExternalIssueFinder = async (services, requests) => {
  const projectIds = [...new Set(requests.map(({ project_id }) => project_id))];
  if (projectIds.length === 0 || !(await isAllowed(services, 'jira'))) return new Set();
  const used = await integrationsOfProjects(services.db.read, 'jira', projectIds);
  return new Set(
    requests.flatMap(({ id, project_id, title, description }) => {
      const jira = used.get(project_id);
      if (jira?.active !== 1) return [];
      return keysIn(settingsOf(jira), `${title}\n${description ?? ''}`.slice(0, longestLook)).length === 0 ? [id] : [];
    }),
  );
};
