import type { IntegrationKind, Problems } from '../integrations/kind.ts';
import type { Settings } from '../integrations/settings.ts';
import { recipientsProblem } from './recipients.ts';

function check({ recipients = '' }: Settings): Problems {
  const problem = recipientsProblem(recipients);
  return problem === undefined ? {} : { recipients: [problem] };
}

const common = { required: ['recipients'], address: () => '', check } as const;

/** Integrations that send e-mails to a list of addresses. */
export const emailKinds = {
  'emails-on-push': {
    title: 'Emails on push',
    switches: ['push_events', 'tag_push_events'],
    ...common,
    takes: ['recipients', 'disable_diffs', 'send_from_committer_email', 'branches_to_be_notified'],
    defaults: { disable_diffs: false, send_from_committer_email: false, branches_to_be_notified: 'all' },
  },
  'pipelines-email': {
    title: 'Pipeline status emails',
    switches: ['pipeline_events'],
    ...common,
    takes: ['recipients', 'notify_only_broken_pipelines', 'branches_to_be_notified'],
    defaults: { notify_only_broken_pipelines: true, branches_to_be_notified: 'default' },
  },
} as const satisfies Record<string, IntegrationKind>;

export type EmailKind = keyof typeof emailKinds;

export const isEmailKind = (name: string): name is EmailKind => Object.hasOwn(emailKinds, name);
