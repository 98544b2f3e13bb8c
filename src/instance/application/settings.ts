import Type from 'typebox';
import { applicationSettings, settingRules } from '../../access/application-settings/list.ts';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { Invalid } from '../../platform/http/errors.ts';
import { atLeastOneOf, type ParamMap } from '../../platform/http/params.ts';
import { entity } from '../../platform/http/schema.ts';

const tag = 'application settings';
const path = '/application/settings';
const names = Object.keys(applicationSettings);

const Settings = entity('ApplicationSetting', {
  id: Type.Integer(),
  ...Object.fromEntries(names.map((name) => [name, settingRules[name]?.schema ?? Type.Any()])),
});

const params: ParamMap = Object.fromEntries(Object.entries(settingRules).map(([name, rule]) => [name, rule.param]));

function check(sent: Readonly<Record<string, unknown>>): void {
  const problems: Record<string, string[]> = {};
  for (const [name, value] of Object.entries(sent)) {
    const text = settingRules[name]?.problem?.(value);
    if (text !== undefined) problems[name] = [text];
  }
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
}

/** `/application/settings`: what administrators change for everyone while the server runs. */
export function settingRoutes({ settings }: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path,
      tag,
      summary: 'Get the settings of the instance',
      gate: gates.admin,
      params: {},
      answers: { 200: Settings },
      handle: async () => ({ id: 1, ...(await settings.read()) }),
    }),
    route({
      method: 'PUT',
      path,
      tag,
      summary: 'Change settings of the instance',
      gate: gates.admin,
      params,
      rules: [atLeastOneOf(...names)],
      answers: { 200: Settings },
      handle: async ({ params: sent }) => {
        check(sent);
        return { id: 1, ...(await settings.change(sent)) };
      },
    }),
  ];
}
