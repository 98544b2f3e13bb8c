import type { Actor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import { confirmedEmails } from '../../../people/users/public.ts';
import type { Reader } from '../../../platform/database/database.ts';
import type { Commit } from '../../../platform/git/objects/commit.ts';
import type { PushRuleRow } from '../../protected-refs/public.ts';
import { PushRefused, type PushRequest } from '../push.ts';
import {
  checksCommits,
  checksFiles,
  commitProblem,
  fileNameProblem,
  fileSizeProblem,
  type PushingUser,
} from './commit-rules.ts';
import type { PushedContent } from './pushed-content.ts';
import { filterConfirmedEmails } from './store.ts';

/** The inputs of a push rule check. */
export interface RuleContext {
  readonly services: Services;
  readonly request: PushRequest;
  readonly rule: PushRuleRow;
  readonly pushed: PushedContent;
}

/** Throws `PushRefused` if a commit or file violates the push rule. */
export async function checkPushRule({ services, request, rule, pushed }: RuleContext): Promise<void> {
  if (checksCommits(rule)) await checkCommits(services.db.read, request, rule, await pushed.commits());
  if (checksFiles(rule)) await checkFiles(rule, pushed);
}

async function checkCommits(
  db: Reader,
  request: PushRequest,
  rule: PushRuleRow,
  commits: readonly Commit[],
): Promise<void> {
  const context = {
    rule,
    pusher: rule.commit_committer_check === 1 ? await pushingUser(db, request.actor) : nameOnly(request.actor),
    known: rule.member_check === 1 ? await known(db, commits) : new Set<string>(),
    byApi: request.protocol === 'web',
  };
  for (const commit of commits) {
    const problem = commitProblem(commit, context);
    if (problem !== undefined) throw new PushRefused(problem);
  }
}

async function checkFiles(rule: PushRuleRow, pushed: PushedContent): Promise<void> {
  const sized: { path: string; blob: string }[] = [];
  for await (const { path, blob, added } of pushed.files()) {
    const problem = added ? fileNameProblem(rule, path) : undefined;
    if (problem !== undefined) throw new PushRefused(problem);
    if (blob !== null && rule.max_file_size > 0) sized.push({ path, blob });
  }
  for (const { path, blob } of sized) {
    const info = await pushed.objects.info(blob);
    const problem = info.status === 'found' ? fileSizeProblem(rule, path, info.size) : undefined;
    if (problem !== undefined) throw new PushRefused(problem);
  }
}

const nameOnly = (actor: Actor): PushingUser => ({ name: actor.user?.name ?? null, emails: new Set() });

async function pushingUser(db: Reader, actor: Actor): Promise<PushingUser> {
  const { user } = actor;
  if (!user) return { name: null, emails: new Set() };
  const emails = await confirmedEmails(db, user.id);
  if (user.confirmed_at !== null) emails.add(user.email.toLowerCase());
  return { name: user.name, emails };
}

async function known(db: Reader, commits: readonly Commit[]): Promise<ReadonlySet<string>> {
  const addresses = commits.flatMap((commit) => [
    commit.author.email.toLowerCase(),
    commit.committer.email.toLowerCase(),
  ]);
  return filterConfirmedEmails(db, [...new Set(addresses)]);
}
