import type { Services } from '../../../access/services.ts';
import { type Commit, commitTitle } from '../../../platform/git/objects/commit.ts';
import { branchOrTagName, type HookPayload } from '../chats/message.ts';
import { isCreation, isRemoval } from '../emails/push.ts';
import type { Settings } from '../integrations/settings.ts';
import type { Source } from './comment-text.ts';
import { closedKeysIn, keysIn } from './keys.ts';

/** A mentioned issue, and whether the source closes it. */
export interface Mention {
  readonly key: string;
  readonly deed: 'mention' | 'close';
  readonly source: Source;
}

/** The push and merge request payloads that Jira uses. */
export interface JiraPayload extends HookPayload {
  readonly project: HookPayload['project'] & { readonly id: number };
  readonly object_attributes?: HookPayload['object_attributes'] & { readonly target_branch?: string };
}

const maxCommits = 100;
const longestText = 100_000;

/** Returns the pushed commits, oldest first; none for the first push to a project. */
async function pushedCommits({ git }: Services, payload: JiraPayload): Promise<Commit[]> {
  const { ref = '', before = '', after = '', project } = payload;
  if (isRemoval(payload) || !ref.startsWith('refs/heads/')) return [];
  const repo = git.repository(project.id);
  const isFirst = isCreation(payload) && branchOrTagName(ref) === project.default_branch;
  const base = !isCreation(payload)
    ? before
    : isFirst
      ? null
      : await git.readRef(repo, `refs/heads/${project.default_branch}`);
  if (base === null) return [];
  const known = await git.objects(repo).commits([after, base]);
  if (known.some((commit) => commit === null)) return [];
  return (await git.commits(repo, { tips: [after], exclude: [base], limit: maxCommits })).reverse();
}

/** Whether a transition that closes issues is configured. */
const canClose = ({ jira_issue_transition_automatic, jira_issue_transition_id = '' }: Settings) =>
  jira_issue_transition_automatic === true || jira_issue_transition_id !== '';

function mentionsIn(settings: Settings, text: string, source: Source, closes: boolean): Mention[] {
  const read = text.slice(0, longestText);
  const closed = closes && canClose(settings) ? closedKeysIn(settings, read) : [];
  return keysIn(settings, read).map((key) => ({ key, deed: closed.includes(key) ? 'close' : 'mention', source }));
}

/** Returns the mentions in an event. Only commits on the default branch close issues. */
export async function mentionsOf(services: Services, settings: Settings, payload: JiraPayload): Promise<Mention[]> {
  const project = { path: payload.project.path_with_namespace, url: payload.project.web_url };
  const actor = payload.user?.name ?? payload.user_name ?? 'Somebody';
  const { default_branch } = payload.project;
  if (payload.object_kind === 'merge_request') {
    const { id, iid, title = '', description, url = '', action, target_branch } = payload.object_attributes ?? {};
    const source = { about: `merge_request ${id}`, noun: `merge request !${iid}`, title, url, actor, project };
    const closes = action === 'merge' && target_branch === default_branch;
    return mentionsIn(settings, `${title}\n\n${description ?? ''}`, source, closes);
  }
  const commits = await pushedCommits(services, payload);
  const closes = branchOrTagName(payload.ref ?? '') === default_branch;
  return commits.flatMap((commit) => {
    const url = `${project.url}/-/commit/${commit.oid}`;
    const title = commitTitle(commit.message);
    const source = {
      about: `commit ${commit.oid}`,
      noun: `commit ${commit.oid.slice(0, 8)}`,
      title,
      url,
      actor,
      project,
    };
    return mentionsIn(settings, commit.message, source, closes);
  });
}
