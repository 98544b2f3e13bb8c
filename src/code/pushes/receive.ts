import type { Services } from '../../access/services.ts';
import { type ProjectSubject, settingsOf } from '../../access/subjects.ts';
import { fault } from '../../platform/faults.ts';
import type { Push as ReceivedPush, ReceiveHooks } from '../../platform/git/transport/receive.ts';
import { pushBanner } from './banner.ts';
import { checkChanges } from './checks/service.ts';
import { finalizePush } from './finalise.ts';
import { type Push, PushRefused, type PushRequest } from './push.ts';
import { reconcilePush } from './repair.ts';
import { type Intent, recordIntent } from './store.ts';

/** Maximum number of branches that get a merge request hint; more would drown git's own output. */
const hinted = 3;

/** The merge request links shown after a git push: one per branch, existing or new. */
async function noticesOf(services: Services, subject: ProjectSubject, push: Push): Promise<string[]> {
  const enabled = settingsOf(subject.project).printing_merge_request_link_enabled !== false;
  if (!enabled || !subject.can('read_merge_request')) return [];
  const branches = push.refs.filter(
    (ref) => ref.kind === 'branch' && ref.action !== 'removed' && ref.name !== subject.project.default_branch,
  );
  if (push.first || branches.length > hinted) return [];
  const blocks = await Promise.all(branches.map(({ name }) => hint(services, subject, name)));
  return blocks.flat();
}

async function hint(services: Services, subject: ProjectSubject, branch: string): Promise<string[]> {
  const lookups = services
    .contributions('pushes.openMergeRequest')
    .map((find) => find(services, subject.project.id, branch));
  const open = (await Promise.all(lookups)).find((address) => address !== undefined);
  if (open !== undefined) return ['', `View merge request for ${branch}:`, `  ${open}`, ''];
  const query = new URLSearchParams({ 'merge_request[source_branch]': branch });
  const url = `${services.externalUrl}/${subject.fullPath}/-/merge_requests/new?${query}`;
  return ['', `To create a merge request for ${branch}, visit:`, `  ${url}`, ''];
}

/** Warnings about push options that could not be applied. The push itself has succeeded. */
async function warningsOf(services: Services, push: Push): Promise<string[]> {
  if (push.pushOptions.length === 0) return [];
  const refusals = await Promise.all(services.contributions('pushes.options').map((follow) => follow(services, push)));
  const options = push.pushOptions.map((option) => `'${option}'`).join(' ');
  const lines = refusals.flat().map((refusal) => `Error encountered with push options ${options}: ${refusal}`);
  return lines.length > 0 ? ['', 'WARNINGS:', ...lines, ''] : [];
}

/** A git push, from the pre-receive hook on. */
export interface ReceivingPush {
  readonly hooks: ReceiveHooks;
  /** Must be called when git has exited. Determines the outcome if git did not report it. */
  settled(): Promise<void>;
}

/** Like `moveRefs`, but git itself updates the refs. */
export function receivePush(
  services: Services,
  from: Pick<PushRequest, 'actor' | 'subject' | 'protocol'>,
  notices: readonly string[] = [],
): ReceivingPush {
  let intent: Intent | undefined;
  const hooks: ReceiveHooks = {
    async onPreReceive({ changes, pushOptions, repo }: ReceivedPush) {
      const request = { ...from, changes, pushOptions };
      try {
        await checkChanges(services, request, repo);
        fault('push.checked');
        intent = await recordIntent(services.db, request);
      } catch (error) {
        if (error instanceof PushRefused) return error.message;
        throw error;
      }
      fault('push.recorded');
      return undefined;
    },
    async onPostReceive({ changes }) {
      fault('push.moved');
      if (!intent) throw new Error('git updated refs without calling the pre-receive hook');
      const push = await finalizePush(services, intent, from.subject, changes);
      intent = undefined;
      fault('push.finalised');
      const warnings = await warningsOf(services, push);
      const banner = await pushBanner(services, from.subject);
      return [...notices, ...banner, ...warnings, ...(await noticesOf(services, from.subject, push))];
    },
  };
  return {
    hooks,
    async settled() {
      if (intent) await reconcilePush(services, intent.id);
    },
  };
}
