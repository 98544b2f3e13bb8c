import Type, { type Static } from 'typebox';
import { nullable as orNull, type ParamsOf, param, required } from '../../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../../platform/http/schema.ts';
import { oneIssue } from '../schema.ts';

export const MetricImage = entity('IssuableMetricImage', {
  id: Type.Integer(),
  created_at: timestamp(),
  filename: Type.String(),
  file_path: Type.String(),
  url: nullable(Type.String()),
  url_text: nullable(Type.String()),
});
export type MetricImageEntity = Static<typeof MetricImage>;

const link = {
  url: orNull(param.string({ description: 'URL of the chart' })),
  url_text: orNull(param.string({ description: 'Text of the link to the chart' })),
};
export const newMetricImage = {
  ...oneIssue,
  file: required(param.file({ description: 'Image file of at most 1 MB' })),
  ...link,
};
export const oneMetricImage = { ...oneIssue, metric_image_id: required(param.integer()) };
export const metricImageChange = { ...oneMetricImage, ...link };
export type NewMetricImageParams = ParamsOf<typeof newMetricImage>;
export type MetricImageChangeParams = ParamsOf<typeof metricImageChange>;
export type MetricImageLink = Pick<MetricImageChangeParams, 'url' | 'url_text'>;
