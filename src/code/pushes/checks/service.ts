import { callerId } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import { settingsOf } from '../../../access/subjects.ts';
import { refsContaining } from '../../../platform/git/history/ancestry.ts';
import { parseLfsPointer } from '../../../platform/git/objects/lfs-pointer.ts';
import type { Repository } from '../../../platform/git/repository.ts';
import { foreignLock, hasForeignLocks, missingLfsObjects } from '../../lfs/public.ts';
import {
  type BranchAccess,
  branchAccess,
  effectivePushRule,
  type PushRuleRow,
  sharedBranches,
  tagAccess,
} from '../../protected-refs/public.ts';
import { pushSizeProblem } from '../../size-limit/public.ts';
import { PushRefused, type PushRequest, type RefChange } from '../push.ts';
import { readRef } from '../ref-kind.ts';
import { compileRegex } from './commit-rules.ts';
import { checkPushRule } from './push-rule.ts';
import { PushedContent } from './pushed-content.ts';
import { branchProblem, tagProblem } from './ref-rules.ts';
import { checkSecrets } from './secrets.ts';

/** Throws `PushRefused` with a message for the pusher if a rule forbids any of the changes. */
export async function checkChanges(services: Services, request: PushRequest, repo: Repository): Promise<void> {
  const mirrored = request.purpose === 'mirror';
  const rule = mirrored ? undefined : await effectivePushRule(services.db.read, request.subject.project);
  const pushed = new PushedContent(services.git, repo, request);
  try {
    await checkRefs(services, request, repo, pushed, rule);
    await checkSize(services, request, repo);
    if (mirrored) return;
    await checkLfs(services, request, pushed);
    await checkLocks(services, request, pushed);
    if (rule) await checkPushRule({ services, request, rule, pushed });
    await checkSecrets(services, request, pushed);
  } finally {
    if (repo.quarantine) services.git.release(repo);
  }
}

async function checkRefs(
  services: Services,
  request: PushRequest,
  repo: Repository,
  pushed: PushedContent,
  rule: PushRuleRow | undefined,
): Promise<void> {
  const { db } = services;
  const { actor, subject } = request;
  const refs = request.changes.map((change) => ({ change, ...readRef(change.ref) }));
  if (refs.some((each) => each.kind === 'internal')) throw new PushRefused('deny updating a hidden ref');
  const [branches, tags] = await Promise.all([
    branchAccess(db.read, actor, subject),
    refs.some((each) => each.kind === 'tag') ? tagAccess(db.read, actor, subject) : undefined,
  ]);
  if (!branches.mayPush) {
    const shared = await sharedBranches(services, actor, subject);
    const mayMove = ({ change, kind, name }: (typeof refs)[number]) =>
      kind === 'branch' && change.new !== null && shared.has(name) && !branches.isProtected(name);
    if (!refs.every(mayMove)) throw new PushRefused('You are not allowed to push code to this project.');
  }
  const defaultBranch = subject.project.default_branch;
  for (const { change, kind, name } of refs) {
    const problem =
      kind === 'branch'
        ? (branchProblem(change, name, await branchFacts(pushed, request, repo, branches, change, name)) ??
          namePatternProblem(rule, change, name, defaultBranch))
        : kind === 'tag' && tags
          ? tagProblem(change, name, {
              access: tags,
              defaultBranch,
              protocol: request.protocol,
              denyDelete: rule?.deny_delete_tag === 1,
            })
          : undefined;
    if (problem !== undefined) throw new PushRefused(problem);
  }
}

async function branchFacts(
  pushed: PushedContent,
  request: PushRequest,
  repo: Repository,
  access: BranchAccess,
  change: RefChange,
  name: string,
) {
  const { project } = request.subject;
  const guarded = access.isProtected(name);
  const moves = change.old !== null && change.new !== null;
  const creates = change.old === null && change.new !== null;
  return {
    access,
    defaultBranch: project.default_branch,
    emptyRepository: project.empty_repo === 1,
    protocol: request.protocol,
    purpose: request.purpose,
    forced:
      guarded &&
      moves &&
      request.purpose !== 'mirror' &&
      !access.allowsForcePush(name) &&
      (await pushed.losesHistory(change)),
    onProtectedBranch:
      guarded && creates && !access.canPush(name) && (await isOnProtectedBranch(repo, access, change.new as string)),
  };
}

async function isOnProtectedBranch(repo: Repository, access: BranchAccess, commit: string): Promise<boolean> {
  for await (const ref of refsContaining(repo, commit, ['refs/heads/'])) {
    if (access.isProtected(readRef(ref).name)) return true;
  }
  return false;
}

// The default branch is exempt, as a rule could otherwise make it impossible to create.
function namePatternProblem(
  rule: PushRuleRow | undefined,
  change: RefChange,
  name: string,
  defaultBranch: string | null,
): string | undefined {
  const pattern = rule?.branch_name_regex;
  if (!pattern || change.old !== null || change.new === null || name === defaultBranch) return undefined;
  if (compileRegex(pattern).matcher(name).find()) return undefined;
  return `Cannot create branch. The branch name must match this regular expression: ${pattern}`;
}

/** Deletions are always allowed, so that a repository can get below its limit again. */
async function checkSize(services: Services, { changes, subject }: PushRequest, repo: Repository): Promise<void> {
  if (changes.every((change) => change.new === null)) return;
  const problem = await pushSizeProblem(services, subject.project, repo);
  if (problem !== undefined) throw new PushRefused(problem);
}

async function checkLfs(services: Services, { subject }: PushRequest, pushed: PushedContent): Promise<void> {
  if (settingsOf(subject.project).lfs_enabled === false) return;
  const oids = new Set<string>();
  for await (const blob of pushed.pointerSized()) {
    const pointer = parseLfsPointer(blob);
    if (pointer) oids.add(pointer.oid);
  }
  if (oids.size === 0) return;
  const missing = await missingLfsObjects(services.db.read, subject.project.id, [...oids]);
  if (missing.length === 0) return;
  throw new PushRefused('LFS objects are missing. Ensure LFS is properly set up or try a manual "git lfs push --all".');
}

async function checkLocks(services: Services, { actor, subject }: PushRequest, pushed: PushedContent): Promise<void> {
  const { read } = services.db;
  const owner = { projectId: subject.project.id, userId: callerId(actor) };
  if (!(await hasForeignLocks(read, owner))) return;
  let paths: string[] = [];
  const ask = async () => {
    const lock = await foreignLock(read, owner, paths);
    if (lock) throw new PushRefused(`'${lock.path}' is locked in Git LFS by @${lock.username}`);
    paths = [];
  };
  for await (const { path } of pushed.files()) if (paths.push(path) >= 500) await ask();
  await ask();
}
