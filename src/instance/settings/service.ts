import { type ApplicationSettings, settingRules } from '../../access/application-settings/list.ts';
import { protectionChange, protectionIn } from '../../access/namespaces/branch-protection.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import { durationSeconds } from '../../ci/config/public.ts';
import { Invalid } from '../../platform/http/errors.ts';

type Sent = Readonly<Record<string, unknown>>;

export async function getSettings({ settings }: Services) {
  return shown(await settings.read());
}

function shown(present: ApplicationSettings) {
  const settings: Sent = { ...present, default_branch_protection_defaults: protectionIn(present) };
  return {
    id: 1,
    ...Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [name, settingRules[name]?.shown?.of(value) ?? value]),
    ),
  };
}

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** An administrator changed application settings; `changes` has the changed ones by name. */
    'application-settings.changed': {
      readonly by: User;
      readonly changes: ReadonlyMap<string, { readonly from: unknown; readonly to: unknown }>;
    };
  }
}

export async function changeSettings({ settings, announce }: Services, by: User, named: Sent) {
  const present = await settings.read();
  const sent = { ...named, ...protectionChange(present, named) };
  check(sent, present);
  const changed = await settings.change(sent, async (trx, before) => {
    const former: Sent = before;
    const changes = new Map(
      Object.entries(sent)
        .map(([name, to]) => [name, { from: former[name], to }] as const)
        .filter(([name, { from, to }]) => name in former && JSON.stringify(from) !== JSON.stringify(to)),
    );
    if (changes.size > 0) await announce(trx, 'application-settings.changed', { by, changes });
  });
  return shown(changed);
}

const day = 86_400;
const warnAfter = 'inactive_projects_send_warning_email_after_months';
const deleteAfter = 'inactive_projects_delete_after_months';

function check(sent: Sent, present: Sent): void {
  const problems: Record<string, string[]> = {};
  for (const [name, value] of Object.entries(sent)) {
    const text = settingRules[name]?.problem?.(value);
    if (text !== undefined) problems[name] = [text];
  }
  const { archive_builds_in_human_readable: archived } = sent;
  if (typeof archived === 'string' && archived !== '') {
    const seconds = durationSeconds(archived);
    const problem = seconds === null ? 'is not a correct duration' : 'must be at least 1 day';
    if (seconds === null || seconds < day) problems.archive_builds_in_human_readable = [problem];
  }
  const { [warnAfter]: warn, [deleteAfter]: end } = { ...present, ...sent };
  const named = warnAfter in sent || deleteAfter in sent;
  if (named && Number(warn) >= Number(end)) problems[warnAfter] ??= [`must be less than ${end}`];
  const { enforce_terms: enforced, terms } = { ...present, ...sent };
  const isAbout = 'enforce_terms' in sent || 'terms' in sent;
  if (isAbout && enforced === true && String(terms ?? '').trim() === '') problems.terms ??= ["can't be blank"];
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
}
