import type { Services } from '../../access/services.ts';
import { type ProjectSubject, settingsOf } from '../../access/subjects.ts';
import { fault } from '../../platform/faults.ts';
import type { Push as ReceivedPush, ReceiveHooks } from '../../platform/git/transport/receive.ts';
import { bannerOf } from './banner.ts';
import { checkChanges } from './checks/service.ts';
import { finalise } from './finalise.ts';
import { type Push, PushRefused, type PushRequest } from './push.ts';
import { reconcilePush } from './repair.ts';
import { type Intent, recordIntent } from './store.ts';

/** So many branches of a push are given a hint; more would hide what git itself says. */
const hinted = 3;

/** What is shown to somebody who has pushed by git: the way to the merge request of each branch, or to a new one. */
async function noticesOf(services: Services, subject: ProjectSubject, push: Push): Promise<string[]> {
  const wanted = settingsOf(subject.project).printing_merge_request_link_enabled !== false;
  if (!wanted || !subject.can('read_merge_request')) return [];
  const branches = push.refs.filter(
    (ref) => ref.kind === 'branch' && ref.action !== 'removed' && ref.name !== subject.project.default_branch,
  );
  if (push.first || branches.length > hinted) return [];
  const blocks = await Promise.all(branches.map(({ name }) => hint(services, subject, name)));
  return blocks.flat();
}

async function hint(services: Services, subject: ProjectSubject, branch: string): Promise<string[]> {
  const asked = services
    .contributions('pushes.openMergeRequest')
    .map((find) => find(services, subject.project.id, branch));
  const open = (await Promise.all(asked)).find((address) => address !== undefined);
  if (open !== undefined) return ['', `View merge request for ${branch}:`, `  ${open}`, ''];
  const query = new URLSearchParams({ 'merge_request[source_branch]': branch });
  const url = `${services.externalUrl}/${subject.fullPath}/-/merge_requests/new?${query}`;
  return ['', `To create a merge request for ${branch}, visit:`, `  ${url}`, ''];
}

/** What the options of a push asked for and did not get; the push itself has happened all the same. */
async function warningsOf(services: Services, push: Push): Promise<string[]> {
  if (push.pushOptions.length === 0) return [];
  const refusals = await Promise.all(services.contributions('pushes.options').map((follow) => follow(services, push)));
  const options = push.pushOptions.map((option) => `'${option}'`).join(' ');
  const lines = refusals.flat().map((refusal) => `Error encountered with push options ${options}: ${refusal}`);
  return lines.length > 0 ? ['', 'WARNINGS:', ...lines, ''] : [];
}

/** A push by git, from the time that git asks whether it may happen. */
export interface ReceivingPush {
  readonly hooks: ReceiveHooks;
  /** To be called when git is gone: finds out what happened if git did not say. */
  settled(): Promise<void>;
}

/** The same path as `moveRefs`, with git itself as the one that moves the refs. */
export function receivePush(
  services: Services,
  from: Pick<PushRequest, 'actor' | 'subject' | 'protocol'>,
  remarks: readonly string[] = [],
): ReceivingPush {
  let intent: Intent | undefined;
  const hooks: ReceiveHooks = {
    async onPreReceive({ changes, pushOptions, repo }: ReceivedPush) {
      const request = { ...from, changes, pushOptions };
      try {
        await checkChanges(services, request, repo);
      } catch (error) {
        if (error instanceof PushRefused) return error.message;
        throw error;
      }
      fault('push.checked');
      intent = await recordIntent(services.db, request);
      fault('push.recorded');
      return undefined;
    },
    async onPostReceive({ changes }) {
      fault('push.moved');
      if (!intent) throw new Error('git moved refs that it had not asked about');
      const push = await finalise(services, intent, from.subject, changes);
      intent = undefined;
      fault('push.finalised');
      const warnings = await warningsOf(services, push);
      const banner = await bannerOf(services, from.subject);
      return [...remarks, ...banner, ...warnings, ...(await noticesOf(services, from.subject, push))];
    },
  };
  return {
    hooks,
    async settled() {
      if (intent) await reconcilePush(services, intent.id);
    },
  };
}
