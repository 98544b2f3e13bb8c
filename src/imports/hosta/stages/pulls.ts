import { ensureBranch, importedTime, importMergeRequest, type SourceMergeRequest } from '../../content/public.ts';
import type { ImportRun } from '../../project-imports/public.ts';
import { pagesOf } from '../api.ts';
import { type HostaPull, lists } from '../records.ts';
import { importSourceRepository } from './base.ts';
import { contextOf, type HostaContext } from './context.ts';

export async function importPulls(run: ImportRun): Promise<void> {
  const context = contextOf(run);
  const { client, base, options } = context;
  const first = `${base}/pulls?state=all&sort=created&direction=asc&per_page=${options.perPage}`;
  for await (const pulls of pagesOf(run, client, lists.pulls, 'pulls', first)) {
    // Opened or updated after the repository was fetched.
    if (await anyUnknown(run, pulls)) await importSourceRepository(run);
    for (const pull of pulls) await importOne(run, context, pull);
  }
}

async function anyUnknown({ services, project }: ImportRun, pulls: readonly HostaPull[]): Promise<boolean> {
  const objects = services.git.objects(services.git.repository(project.id));
  const open = pulls.filter((pull) => pull.state === 'open');
  const found = await Promise.all(open.map(({ head }) => objects.commit(head.sha)));
  return found.includes(null);
}

async function importOne(run: ImportRun, { text, idOf }: HostaContext, pull: HostaPull): Promise<void> {
  const state = stateOf(pull);
  const sourceBranch = sourceBranchOf(pull);
  if (state === 'opened') await ensureBranch(run, sourceBranch, pull.head.sha);
  await importMergeRequest(run, {
    number: pull.number,
    title: pull.title,
    description: text(pull.body),
    draft: pull.draft === true,
    state,
    sourceBranch,
    targetBranch: pull.base.ref,
    headSha: pull.head.sha,
    startSha: pull.base.sha,
    mergeCommitSha: state === 'merged' ? (pull.merge_commit_sha ?? null) : null,
    mergedAt: pull.merged_at ? importedTime(pull.merged_at) : null,
    closedAt: state === 'closed' ? importedTime(pull.closed_at ?? pull.updated_at) : null,
    authorId: await idOf(pull.user),
    assigneeIds: pull.assignee ? [await idOf(pull.assignee)] : [],
    labelIds: [],
    milestoneId: pull.milestone ? ((await run.targetOf('milestone', pull.milestone.number)) ?? null) : null,
    createdAt: importedTime(pull.created_at),
    updatedAt: importedTime(pull.updated_at),
  });
}

function stateOf({ merged_at, state }: HostaPull): SourceMergeRequest['state'] {
  if (merged_at) return 'merged';
  return state === 'closed' ? 'closed' : 'opened';
}

/** Source branch of a pull request. Branches of forks get a unique name, because forks are not imported. */
export function sourceBranchOf({ number, head, base }: Pick<HostaPull, 'number' | 'head' | 'base'>): string {
  const own = head.repo != null && head.repo.id === base.repo?.id;
  if (!own && head.user) return `github/fork/${head.user.login}/${head.ref}`;
  return head.ref === base.ref ? `${head.ref}-${number}` : head.ref;
}
