import Type from 'typebox';
import { settingRules } from '../../access/application-settings/list.ts';
import type { ParamMap } from '../../platform/http/params.ts';
import { entity } from '../../platform/http/schema.ts';

export const names = Object.keys(settingRules);

export const ApplicationSetting = entity('ApplicationSetting', {
  id: Type.Integer(),
  ...Object.fromEntries(
    Object.entries(settingRules).map(([name, { schema, shown }]) => [name, shown?.schema ?? schema]),
  ),
});

export const change: ParamMap = Object.fromEntries(
  Object.entries(settingRules).map(([name, rule]) => [name, rule.param]),
);
