import Type, { type Static } from 'typebox';
import { type ParamsOf, param, required, withDefault } from '../../platform/http/params.ts';
import { entity, timestamp } from '../../platform/http/schema.ts';

export const FreezePeriod = entity('FreezePeriod', {
  id: Type.Integer(),
  freeze_start: Type.String(),
  freeze_end: Type.String(),
  cron_timezone: Type.String(),
  created_at: timestamp(),
  updated_at: timestamp(),
});
export type FreezePeriodEntity = Static<typeof FreezePeriod>;

const times = {
  freeze_start: param.string({ description: 'Start of the freeze period in cron format' }),
  freeze_end: param.string({ description: 'End of the freeze period in cron format' }),
  cron_timezone: param.string({ description: 'Time zone of the cron fields; defaults to UTC' }),
};

export const project = { id: required(param.string({ description: 'ID or URL-encoded path of the project' })) };
export const onePeriod = { ...project, freeze_period_id: required(param.integer()) };
export const newPeriod = {
  ...project,
  freeze_start: required(times.freeze_start),
  freeze_end: required(times.freeze_end),
  cron_timezone: withDefault(times.cron_timezone, 'UTC'),
};
export const periodChange = { ...onePeriod, ...times };
export type NewPeriodParams = ParamsOf<typeof newPeriod>;
export type PeriodChangeParams = ParamsOf<typeof periodChange>;
