import { settingRules } from '../../access/application-settings/list.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import { Invalid } from '../../platform/http/errors.ts';

type Sent = Readonly<Record<string, unknown>>;

export async function getSettings({ settings }: Services) {
  return { id: 1, ...(await settings.read()) };
}

declare module '../../platform/occurrences.ts' {
  interface Occurrences {
    /** An administrator has set something for the whole instance: what differs from before, by name. */
    'application-settings.changed': {
      readonly by: User;
      readonly changes: ReadonlyMap<string, { readonly from: unknown; readonly to: unknown }>;
    };
  }
}

export async function changeSettings({ settings, announce }: Services, by: User, sent: Sent) {
  check(sent);
  const changed = await settings.change(sent, async (trx, before) => {
    const former: Sent = before;
    const changes = new Map(
      Object.entries(sent)
        .map(([name, to]) => [name, { from: former[name], to }] as const)
        .filter(([name, { from, to }]) => name in former && JSON.stringify(from) !== JSON.stringify(to)),
    );
    if (changes.size > 0) await announce(trx, 'application-settings.changed', { by, changes });
  });
  return { id: 1, ...changed };
}

function check(sent: Sent): void {
  const problems: Record<string, string[]> = {};
  for (const [name, value] of Object.entries(sent)) {
    const text = settingRules[name]?.problem?.(value);
    if (text !== undefined) problems[name] = [text];
  }
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
}
