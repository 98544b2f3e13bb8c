import type { Services } from '../../access/services.ts';
import { type ProjectSubject, readableProject } from '../../access/subjects.ts';
import { refsContaining } from '../../platform/git/history/ancestry.ts';
import { countCommits } from '../../platform/git/history/log.ts';
import { Forbidden, NotFound } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import {
  type DiffEntity,
  type DiffStatEntity,
  type ProjectCall,
  presentDiff,
  presentDiffStat,
  repositoryOf,
  requireCommit,
  runExpensive,
} from '../repository/public.ts';
import { type CommitSignatureEntity, readSignedObject, verifySignature } from '../signatures/public.ts';
import { requirePush } from './branch/push-access.ts';
import { presentDetail } from './detail.ts';
import { diffOfCommit } from './diff.ts';
import { readCommitInput } from './files/actions.ts';
import type { BodyFields } from './files/large-body.ts';
import { type CommitCall, commitFiles } from './files/service.ts';
import type { CommitDetailEntity } from './schema.ts';
import { statsOf } from './stats.ts';

/** Returns a single commit. */
export async function getCommit(
  services: Services,
  call: ProjectCall,
  sha: string,
  withStats: boolean,
): Promise<CommitDetailEntity> {
  const commit = await requireCommit(services, call.subject, sha);
  const objects = services.git.objects(repositoryOf(services, call.subject));
  const stats = withStats
    ? await statsOf(objects, commit.oid, (work) => runExpensive(services, call, work))
    : undefined;
  return presentDetail(services, call, { commit, stats });
}

const prefixes = { branch: ['refs/heads/'], tag: ['refs/tags/'], all: ['refs/heads/', 'refs/tags/'] };

/** Lists the branches, then the tags, that contain a commit. */
export async function refsOfCommit(
  services: Services,
  call: ProjectCall,
  sha: string,
  type: keyof typeof prefixes,
  page: PageRequest,
): Promise<Page<{ type: string; name: string }>> {
  const { oid } = await requireCommit(services, call.subject, sha);
  const repo = repositoryOf(services, call.subject);
  return runExpensive(services, call, async () => {
    const found: { type: string; name: string }[] = [];
    let index = 0;
    for await (const ref of refsContaining(repo, oid, prefixes[type], { signal: call.signal })) {
      if (index++ < page.offset) continue;
      if (found.length === page.perPage) return new Page(found, undefined, true);
      const branch = ref.startsWith('refs/heads/');
      found.push({ type: branch ? 'branch' : 'tag', name: ref.slice(branch ? 11 : 10) });
    }
    return new Page(found, undefined, false);
  });
}

/** Returns the number of commits reachable from a commit, including itself. */
export async function countReachable(
  services: Services,
  call: ProjectCall,
  sha: string,
  firstParent: boolean,
): Promise<{ count: number }> {
  const { oid } = await requireCommit(services, call.subject, sha);
  const objects = services.git.objects(repositoryOf(services, call.subject));
  const size = () => 20;
  const count = await objects.derived('sequence', `${oid} ${firstParent}`, size, () =>
    runExpensive(services, call, () =>
      countCommits(objects.repo, { revisions: [oid], firstParent }, { signal: call.signal }),
    ),
  );
  return { count };
}

/** Lists the diffs of a commit. */
export async function listDiff(
  services: Services,
  call: ProjectCall,
  { sha, unidiff }: { readonly sha: string; readonly unidiff: boolean },
  { offset, perPage }: PageRequest,
): Promise<Page<DiffEntity>> {
  const entries = await diffOfCommit(services, call, await requireCommit(services, call.subject, sha));
  const page = new Page(entries.slice(offset, offset + perPage), entries.length);
  return page.map((entry) => presentDiff(entry, unidiff));
}

/** Lists the changed files of a commit with their line counts, in diff order. */
export async function listDiffStats(services: Services, call: ProjectCall, sha: string): Promise<DiffStatEntity[]> {
  const entries = await diffOfCommit(services, call, await requireCommit(services, call.subject, sha));
  return entries.map(presentDiffStat);
}

/** Returns the signature of a commit and its current verification status. Throws 404 for unsigned commits. */
export async function signatureOfCommit(
  services: Services,
  subject: ProjectSubject,
  sha: string,
): Promise<CommitSignatureEntity> {
  const { oid, committer } = await requireCommit(services, subject, sha);
  const signed = await readSignedObject(services.git.objects(repositoryOf(services, subject)), 'commit', oid);
  if (!signed) throw new NotFound('Signature');
  return { ...(await verifySignature(services, oid, signed, committer)), commit_source: 'gitaly' };
}

/** Creates a commit from a request body. */
export async function createCommitFrom(
  services: Services,
  committing: CommitCall,
  fields: BodyFields,
): Promise<CommitDetailEntity> {
  await requirePush(services, committing, typeof fields.branch === 'string' ? fields.branch : '');
  const input = readCommitInput(fields);
  const startSubject = await startSubjectOf(services, committing, input.startProject);
  const created = await commitFiles(services, committing, {
    ...input,
    startSubject,
    staleText: (action) => `The file has changed since you started editing it: ${action.previousPath ?? action.path}`,
  });
  return presentDetail(services, committing, created);
}

/** Returns the start project of a commit. It must be in the same fork network, and its code readable by the caller. */
async function startSubjectOf(
  services: Services,
  { caller, subject }: CommitCall,
  id: string | undefined,
): Promise<ProjectSubject | undefined> {
  if (id === undefined) return undefined;
  const start = await readableProject(services.db, caller, id);
  if (start.project.id === subject.project.id) return undefined;
  if (start.can('read_code') && sameNetwork(start, subject)) return start;
  const name = `${start.namespace.full_name} / ${start.project.name}`;
  throw new Forbidden(`Project is not included in the fork network for ${name}`);
}

function sameNetwork(a: ProjectSubject, b: ProjectSubject): boolean {
  return rootOf(a) === rootOf(b);
}

function rootOf({ project }: ProjectSubject): number {
  return project.fork_root_id ?? project.id;
}
