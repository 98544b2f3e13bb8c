import Type, { type Static } from 'typebox';
import { type ParamsOf, param, required, withDefault } from '../../../platform/http/params.ts';
import { entity, timestamp } from '../../../platform/http/schema.ts';
import { Epic, oneEpic } from '../schema.ts';
import { epicLinkList } from './list.ts';

export const RelatedEpic = entity('RelatedEpic', {
  ...Epic.properties,
  related_epic_link_id: Type.Integer(),
  link_type: Type.String(),
  link_created_at: timestamp(),
  link_updated_at: timestamp(),
});
export type RelatedEpicEntity = Static<typeof RelatedEpic>;

export const RelatedEpicLink = entity('RelatedEpicLink', {
  id: Type.Integer(),
  source_epic: Epic,
  target_epic: Epic,
  link_type: Type.String(),
  created_at: timestamp(),
  updated_at: timestamp(),
});
export type RelatedEpicLinkEntity = Static<typeof RelatedEpicLink>;

export const linksOfGroup = {
  id: required(param.string({ description: 'ID or URL-encoded path of the group' })),
  ...epicLinkList.params,
};
export type LinkListParams = Omit<ParamsOf<typeof linksOfGroup>, 'id'>;

export const newLink = {
  ...oneEpic,
  target_group_id: required(param.string({ description: 'ID or URL-encoded path of the target group' })),
  target_epic_iid: required(param.integer()),
  link_type: withDefault(param.oneOf(['relates_to', 'blocks', 'is_blocked_by']), 'relates_to'),
};
export const oneLink = { ...oneEpic, related_epic_link_id: required(param.integer()) };
export type NewLinkParams = ParamsOf<typeof newLink>;
