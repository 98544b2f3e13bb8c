import type { Settings } from '../integrations/settings.ts';
import type { ChatKind } from './kinds.ts';
import { written } from './markup.ts';
import { type HookPayload, messageOf, nameOf } from './message.ts';

/** Whether the branch settings of a chat include the event; tags are always included. */
function wantsBranch({ branches_to_be_notified = 'default' }: Settings, told: HookPayload): boolean {
  const { object_attributes: pipeline } = told;
  const [ref, isTag, isProtected] =
    told.object_kind === 'pipeline'
      ? [pipeline?.ref ?? '', pipeline?.tag === true, pipeline?.protected_ref === true]
      : [nameOf(told.ref ?? ''), told.object_kind === 'tag_push', told.ref_protected === true];
  if (isTag || branches_to_be_notified === 'all') return true;
  const isDefault = ref === told.project.default_branch;
  if (branches_to_be_notified === 'default') return isDefault;
  return isProtected || (branches_to_be_notified === 'default_and_protected' && isDefault);
}

function wantsLabels(
  { labels_to_be_notified = '', labels_to_be_notified_behavior }: Settings,
  told: HookPayload,
): boolean {
  const wanted = labels_to_be_notified
    .split(',')
    .map((label) => label.trim().replace(/^~/, ''))
    .filter((label) => label !== '');
  if (wanted.length === 0) return true;
  const labels = told.labels ?? told.issue?.labels ?? told.merge_request?.labels ?? [];
  const has = (label: string) => labels.some(({ title }) => title === label);
  return labels_to_be_notified_behavior === 'match_all' ? wanted.every(has) : wanted.some(has);
}

const ofBranches = new Set(['push', 'tag_push', 'pipeline']);
const ofLabels = new Set(['issue', 'merge_request', 'note']);

/** Whether the settings of a chat include the event. */
export function isWanted(settings: Settings, told: HookPayload): boolean {
  const kind = told.object_kind ?? '';
  if (kind === 'pipeline' && settings.notify_only_broken_pipelines && told.object_attributes?.status === 'success') {
    return false;
  }
  if (ofBranches.has(kind) && !wantsBranch(settings, told)) return false;
  return !ofLabels.has(kind) || wantsLabels(settings, told);
}

/**
 * Returns the request body for a chat, or undefined if the event is not reported. `trigger` is the name of the webhook
 * event.
 */
export function postingOf(kind: ChatKind, settings: Settings, trigger: string, payload: unknown): object | undefined {
  const told = payload as HookPayload;
  const message = isWanted(settings, told) ? messageOf(told) : undefined;
  if (!message) return undefined;
  return kind.body({
    text: written(kind.markup, message.sentence),
    details: message.details.map((line) => written(kind.markup, line)).join('\n'),
    message,
    channel: settings.channels?.[trigger.replace(/_hooks$/, '_channel')] ?? settings.channel,
    settings,
  });
}
