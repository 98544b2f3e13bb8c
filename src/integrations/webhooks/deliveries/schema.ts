import Type, { type Static } from 'typebox';
import { param, required } from '../../../platform/http/params.ts';
import { entity, timestamp } from '../../../platform/http/schema.ts';

const texts = Type.Record(Type.String(), Type.String());

export const WebhookEvent = entity('WebhookEvent', {
  id: Type.Integer(),
  url: Type.String(),
  trigger: Type.String(),
  request_headers: texts,
  request_data: Type.Unknown(),
  response_headers: texts,
  response_body: Type.String(),
  execution_duration: Type.Number(),
  response_status: Type.String(),
  created_at: timestamp(),
});
export type WebhookEventEntity = Static<typeof WebhookEvent>;

export const Resent = Type.Object({ response_status: Type.Union([Type.Integer(), Type.String()]) });

export const eventFilter = {
  status: param.commaList({
    description: 'Status codes, or successful (200-299), client_failure (400-499), server_failure (500-599)',
  }),
};
export const oneEvent = { hook_log_id: required(param.integer()) };
