import Type, { type Static } from 'typebox';
import { type ParamsOf, param, required } from '../../platform/http/params.ts';
import { entity, nullable } from '../../platform/http/schema.ts';

const addresses = {
  link_url: Type.String(),
  image_url: Type.String(),
  rendered_link_url: Type.String(),
  rendered_image_url: Type.String(),
};
export const RenderedBadge = entity('RenderedBadge', addresses);
export const Badge = entity('Badge', {
  name: nullable(Type.String()),
  id: Type.Integer(),
  ...addresses,
  kind: Type.String(),
});
export type BadgeEntity = Static<typeof Badge>;
export type RenderedBadgeEntity = Static<typeof RenderedBadge>;

const owner = { id: required(param.string({ description: 'ID or URL-encoded path' })) };
const link_url = param.string({
  description: 'URL of the badge link; may contain placeholders such as `%{project_path}`',
});
const image_url = param.string({ description: 'URL of the badge image; may contain placeholders' });
const name = param.string();

export const listing = { ...owner, name };
export const oneBadge = { ...owner, badge_id: required(param.integer()) };
export const preview = { ...owner, link_url: required(link_url), image_url: required(image_url) };
export const newBadge = { ...preview, name };
export const badgeChange = { ...oneBadge, link_url, image_url, name };

export type NewBadge = Omit<ParamsOf<typeof newBadge>, 'id'>;
export type BadgeChange = Omit<ParamsOf<typeof badgeChange>, 'id' | 'badge_id'>;
