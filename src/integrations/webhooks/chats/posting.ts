import type { Settings } from '../integrations/settings.ts';
import type { ChatKind } from './kinds.ts';
import { renderSentence } from './markup.ts';
import { branchOrTagName, type HookPayload, messageOf } from './message.ts';

/** Whether the branch settings of a chat include the event; tags are always included. */
function wantsBranch({ branches_to_be_notified = 'default' }: Settings, hookPayload: HookPayload): boolean {
  const { object_attributes: pipeline } = hookPayload;
  const [ref, isTag, isProtected] =
    hookPayload.object_kind === 'pipeline'
      ? [pipeline?.ref ?? '', pipeline?.tag === true, pipeline?.protected_ref === true]
      : [
          branchOrTagName(hookPayload.ref ?? ''),
          hookPayload.object_kind === 'tag_push',
          hookPayload.ref_protected === true,
        ];
  if (isTag || branches_to_be_notified === 'all') return true;
  const isDefault = ref === hookPayload.project.default_branch;
  if (branches_to_be_notified === 'default') return isDefault;
  return isProtected || (branches_to_be_notified === 'default_and_protected' && isDefault);
}

function wantsLabels(
  { labels_to_be_notified = '', labels_to_be_notified_behavior }: Settings,
  hookPayload: HookPayload,
): boolean {
  const labelFilter = labels_to_be_notified
    .split(',')
    .map((label) => label.trim().replace(/^~/, ''))
    .filter((label) => label !== '');
  if (labelFilter.length === 0) return true;
  const labels = hookPayload.labels ?? hookPayload.issue?.labels ?? hookPayload.merge_request?.labels ?? [];
  const has = (label: string) => labels.some(({ title }) => title === label);
  return labels_to_be_notified_behavior === 'match_all' ? labelFilter.every(has) : labelFilter.some(has);
}

const ofBranches = new Set(['push', 'tag_push', 'pipeline']);
const ofLabels = new Set(['issue', 'merge_request', 'note']);

/** Whether the settings of a chat include the event. */
export function isWanted(settings: Settings, hookPayload: HookPayload): boolean {
  const kind = hookPayload.object_kind ?? '';
  if (
    kind === 'pipeline' &&
    settings.notify_only_broken_pipelines &&
    hookPayload.object_attributes?.status === 'success'
  ) {
    return false;
  }
  if (ofBranches.has(kind) && !wantsBranch(settings, hookPayload)) return false;
  return !ofLabels.has(kind) || wantsLabels(settings, hookPayload);
}

/**
 * Returns the request body for a chat, or undefined if the event is not reported. `trigger` is the name of the webhook
 * event.
 */
export function chatRequestBody(
  kind: ChatKind,
  settings: Settings,
  trigger: string,
  payload: unknown,
): object | undefined {
  const hookPayload = payload as HookPayload;
  const message = isWanted(settings, hookPayload) ? messageOf(hookPayload) : undefined;
  if (!message) return undefined;
  return kind.body({
    text: renderSentence(kind.markup, message.sentence),
    details: message.details.map((line) => renderSentence(kind.markup, line)).join('\n'),
    message,
    channel: settings.channels?.[trigger.replace(/_hooks$/, '_channel')] ?? settings.channel,
    settings,
  });
}
