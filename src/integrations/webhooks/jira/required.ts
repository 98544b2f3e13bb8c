import type { WithoutIssueElsewhere } from '../../../review/merge-requests/public.ts';
import { integrationsOfProjects } from '../hooks/store.ts';
import { isAllowed } from '../integrations/allowed.ts';
import { settingsOf } from '../integrations/settings.ts';
import { keysIn } from './keys.ts';

/** A list looks at a hundred of them, each by an expression that somebody wrote: keys stand at the beginning. */
const longestLook = 10_000;

/** Merge requests that name no issue of the Jira that their project uses; a project that uses none asks for none. */
export const withoutJiraIssue: WithoutIssueElsewhere = async (services, requests) => {
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
