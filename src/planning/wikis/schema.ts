import Type, { type Static } from 'typebox';
import { nullable as orNull, type ParamsOf, param, required, withDefault } from '../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';
import { formats } from './page.ts';

const basic = {
  format: Type.String(),
  slug: Type.String(),
  title: Type.String(),
  wiki_page_meta_id: nullable(Type.Integer()),
};
const full = {
  content: Type.Optional(Type.String()),
  encoding: Type.Optional(Type.String()),
  front_matter: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
};
export const WikiPage = entity('WikiPage', { ...basic, ...full });
export type WikiPageEntity = Static<typeof WikiPage>;

export const WikiAttachment = entity('WikiAttachment', {
  file_name: Type.String(),
  file_path: Type.String(),
  branch: Type.String(),
  link: Type.Object({ url: Type.String(), markdown: Type.String() }),
});
export type WikiAttachmentEntity = Static<typeof WikiAttachment>;

const owner = { id: required(param.string({ description: 'ID or URL-encoded path of the project or group' })) };
const slug = { slug: required(param.string({ description: 'URL-encoded slug of the page' })) };
const format = param.oneOf(formats);
const head = { front_matter: param.hash({ title: orNull(param.string()) }) };

export const pages = { ...owner, with_content: withDefault(param.boolean(), false) };
export const page = { ...owner, ...slug, version: param.string(), render_html: withDefault(param.boolean(), false) };
export const newPage = {
  ...owner,
  title: required(param.string()),
  content: required(param.string()),
  format: withDefault(format, 'markdown'),
  ...head,
};
export const pageChange = { ...owner, ...slug, title: param.string(), content: param.string(), format, ...head };
export const deletion = { ...owner, ...slug };
export const attachment = { ...owner, file: required(param.file()), branch: param.string() };

export type NewPageParams = Omit<ParamsOf<typeof newPage>, 'id'>;
export type PageChangeParams = Omit<ParamsOf<typeof pageChange>, 'id' | 'slug'>;

/** A commit that changed a wiki page. */
export const WikiPageVersion = entity('WikiPageVersion', {
  id: Type.String(),
  short_id: Type.String(),
  message: Type.String(),
  author_name: Type.String(),
  created_at: timestamp(),
});
export type WikiPageVersionEntity = Static<typeof WikiPageVersion>;

export const versions = { ...owner, ...slug };
