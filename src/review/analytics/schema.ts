import Type, { type Static } from 'typebox';
import { type ParamsOf, param, required, withDefault } from '../../platform/http/params.ts';
import { entity, nullable } from '../../platform/http/schema.ts';
import { intervals, metrics } from './rules.ts';

export const MetricValue = entity('DeliveryMetricValue', {
  date: nullable(Type.String({ description: 'Date, or first day of the month; null for the whole range' })),
  value: nullable(Type.Number({ description: 'In seconds for durations; null if there is no data' })),
});
export type MetricValue = Static<typeof MetricValue>;

const metric = {
  metric: required(param.string({ description: `One of ${metrics.join(', ')}` })),
  start_date: param.date({ description: 'First day; three months ago if absent' }),
  end_date: param.date({ description: 'Last day; today if absent' }),
  interval: withDefault(param.string({ description: `One of ${intervals.join(', ')}` }), 'daily'),
  environment_tiers: param.commaList({ description: 'Environment tiers to include; production if absent' }),
};
export type MetricParams = ParamsOf<typeof metric>;

export const projectMetric = {
  id: required(param.string({ description: 'ID or URL-encoded path of the project' })),
  ...metric,
};
export const groupMetric = {
  id: required(param.string({ description: 'ID or URL-encoded path of the group' })),
  ...metric,
};
export const groupActivity = { group_path: required(param.string({ description: 'Full path of the group' })) };
