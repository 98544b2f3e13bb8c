import Type, { type Static } from 'typebox';
import { param, required } from '../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';

const statusNumber = Type.Integer({ description: '0 for started, 1 for finished, -1 for failed' });

export const RelationBatch = entity('RelationExportBatch', {
  status: statusNumber,
  batch_number: Type.Integer(),
  objects_count: Type.Integer(),
  error: nullable(Type.String()),
  updated_at: timestamp(),
});

export const RelationState = entity('RelationExportStatus', {
  relation: Type.String(),
  status: statusNumber,
  error: nullable(Type.String()),
  updated_at: timestamp(),
  batched: Type.Boolean(),
  batches_count: Type.Integer(),
  total_objects_count: Type.Integer(),
  batches: Type.Optional(Type.Array(RelationBatch)),
});
export type RelationStateEntity = Static<typeof RelationState>;

export const Accepted = entity('RelationExportAccepted', { message: Type.String() });

const place = { id: required(param.string({ description: 'ID or URL-encoded path' })) };

export const newRelationExport = {
  ...place,
  batched: param.boolean({ description: 'Whether to export in batches of 1000 objects' }),
};
export const relationState = { ...place, relation: param.string({ description: 'Return only this relation' }) };
export const relationFile = {
  ...place,
  relation: required(param.string()),
  batched: param.boolean({ description: 'Whether to download a batch' }),
  batch_number: param.integer({ description: 'Number of the batch, starting at 1' }),
};
