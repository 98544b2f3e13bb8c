import { settingRules } from '../../access/application-settings/list.ts';
import type { Services } from '../../access/services.ts';
import { Invalid } from '../../platform/http/errors.ts';

type Sent = Readonly<Record<string, unknown>>;

export async function getSettings({ settings }: Services) {
  return { id: 1, ...(await settings.read()) };
}

export async function changeSettings({ settings }: Services, sent: Sent) {
  check(sent);
  return { id: 1, ...(await settings.change(sent)) };
}

function check(sent: Sent): void {
  const problems: Record<string, string[]> = {};
  for (const [name, value] of Object.entries(sent)) {
    const text = settingRules[name]?.problem?.(value);
    if (text !== undefined) problems[name] = [text];
  }
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
}
